import { randomBytes } from 'node:crypto';
import { GetCommand, paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Scope } from '../../endpoints.ts';
import {
  type ApiKeyType,
  apiKeyRandomBytes,
  hashApiKey,
  lifetimeDays,
  mintApiKey,
  scopesFor,
} from '../../organization/api-key.ts';
import type { Table } from '../table/client.ts';
import { apiKeyPrimaryKey, keyListingPrefix, keyListingPrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { putIfAbsent, type TransactItem, transact } from '../table/transact.ts';
import { type AuditAction, auditEntryPut } from './audit-log.ts';
import { countApiKey, readSettings } from './organizations.ts';

/** An API key as the administrator sees it: all but the key. Times are ISO 8601, UTC. */
export interface ListedApiKey {
  readonly keyId: string;
  readonly label: string;
  readonly type: ApiKeyType;
  readonly scopes: readonly Scope[];
  readonly createdBy: number;
  readonly createdAt: string;
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

export interface ApiKeyRequest {
  readonly organizationId: number;
  readonly type: ApiKeyType;
  /** As asked for: `website-form` needs none, `leads.write` brings `leads.read`. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly label: string;
  /** Id of one of the organization's users, inactive ones too. */
  readonly createdBy: number;
  /** ISO 8601; left out, the type's lifetime from now. May be past, to try expiry. */
  readonly expiresAt?: string | undefined;
  readonly now: Date;
  /** How the organization's history says it; undefined: no entry. */
  readonly action?: ((keyId: string) => AuditAction) | undefined;
}

export interface CreatedApiKey {
  /** The key itself, shown this once: only its hash is stored. */
  readonly key: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string;
}

/** An API key that cannot be made as asked, with the reason as a sentence. */
export class ApiKeyError extends Error {
  override readonly name = 'ApiKeyError';
}

/**
 * Mints an API key and stores its hash: key, listing, a check of the settings and an entry of the history in one transaction.
 * @throws ApiKeyRefused for an unknown organization or creator, or scopes the type cannot have.
 */
export async function createApiKey(table: Table, order: ApiKeyRequest): Promise<CreatedApiKey> {
  const { organizationId, createdBy, type } = order;
  const scopes = scopesFor(type, order.scopes);
  if (typeof scopes === 'string') throw new ApiKeyError(`The scopes ${scopes}.`);
  return retryOnConflict(async () => {
    const stored = await readSettings(table, organizationId);
    if (!stored) throw new ApiKeyError(`There is no organization ${organizationId}: create it with organization apply.`);
    const { users } = stored.settings;
    if (!users.some(({ id }) => id === createdBy)) {
      const named = ({ id, name, active }: (typeof users)[number]): string => `${id} (${name}${active ? '' : ', inactive'})`;
      const known = users.map(named).join(', ') || 'nobody yet';
      throw new ApiKeyError(`Organization ${organizationId} has no user ${createdBy} to create a key: its users are ${known}.`);
    }
    const { key, keyId } = mintApiKey(randomBytes(apiKeyRandomBytes));
    const attributes = attributesOf(order, keyId, scopes);
    const items = [
      countApiKey(table, organizationId, stored.version),
      ...putApiKey(table, organizationId, hashApiKey(key), attributes),
      ...entryOf(table, organizationId, order.action?.(keyId), order.now),
    ];
    // Refused: settings were applied since they were read, which may have dropped the creator.
    if ((await transact(table, items)).outcome !== 'written') return conflict;
    return { key, keyId, scopes, expiresAt: new Date(attributes.expiresAt).toISOString() };
  });
}

const entryOf = (table: Table, organizationId: number, action: AuditAction | undefined, now: Date): TransactItem[] =>
  action ? [auditEntryPut(table, organizationId, { at: now.toISOString(), ...action })] : [];

function attributesOf({ type, label, createdBy, expiresAt, now }: ApiKeyRequest, keyId: string, scopes: readonly Scope[]) {
  const expiry = expiresAt === undefined ? now.getTime() + lifetimeDays[type] * 86_400_000 : Date.parse(expiresAt);
  return { keyId, type, label, scopes, createdBy, createdAt: now.toISOString(), expiresAt: expiry };
}

function putApiKey(
  table: Table,
  organizationId: number,
  apiKeyHash: string,
  attributes: ReturnType<typeof attributesOf>,
): TransactItem[] {
  const own = { ...attributes, organizationId };
  return [
    putIfAbsent(table, { ...apiKeyPrimaryKey(apiKeyHash), ...own, used: 0, windowEndsAt: 0 }),
    putIfAbsent(table, { ...keyListingPrimaryKey(organizationId, attributes.keyId), ...own, apiKeyHash }),
  ];
}

/** The organization's API keys, oldest first, revoked and expired ones too. Empty for an unknown organization. Consistent. */
export async function listApiKeys(table: Table, organizationId: number): Promise<ListedApiKey[]> {
  const { pk, sk } = keyListingPrimaryKey(organizationId, '');
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND begins_with(sk, :prefix)',
      ExpressionAttributeValues: { ':pk': pk, ':prefix': sk },
      ConsistentRead: true,
    },
  );
  const listed: ListedApiKey[] = [];
  for await (const { Items = [] } of pages) listed.push(...Items.map(listedFrom));
  return listed.sort((a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.keyId < b.keyId ? -1 : 1));
}

function listedFrom(item: Readonly<Record<string, unknown>>): ListedApiKey {
  const { label, type, scopes, createdBy, createdAt, expiresAt, revokedAt } = item as unknown as Omit<
    ListedApiKey,
    'expiresAt'
  > & {
    expiresAt: number;
  };
  const keyId = String(item.sk).slice(keyListingPrefix.length);
  return {
    keyId,
    label,
    type,
    scopes,
    createdBy,
    createdAt,
    expiresAt: new Date(expiresAt).toISOString(),
    revokedAt: revokedAt ?? null,
  };
}

/**
 * Ends an API key's access with its next request: on the key, in the list and in the history in one transaction. Revoking again changes
 * nothing.
 * @returns when it was first revoked (ISO 8601); undefined when the organization has no such key.
 */
export async function revokeApiKey(
  table: Table,
  organizationId: number,
  keyId: string,
  now: Date,
  action?: AuditAction,
): Promise<string | undefined> {
  const listing = keyListingPrimaryKey(organizationId, keyId);
  return retryOnConflict(async () => {
    const { Item } = await table.client.send(new GetCommand({ TableName: table.name, Key: listing, ConsistentRead: true }));
    if (!Item) return undefined;
    if (typeof Item.revokedAt === 'string') return Item.revokedAt;
    const revokedAt = now.toISOString();
    const revoke = (primaryKey: { pk: string; sk: string }): TransactItem => ({
      Update: {
        TableName: table.name,
        Key: { ...primaryKey },
        UpdateExpression: 'SET revokedAt = :now',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revokedAt)',
        ExpressionAttributeValues: { ':now': revokedAt },
      },
    });
    const items = [revoke(listing), revoke(apiKeyPrimaryKey(String(Item.apiKeyHash)))];
    const { outcome } = await transact(table, [...items, ...entryOf(table, organizationId, action, now)]);
    return outcome === 'written' ? revokedAt : conflict;
  });
}
