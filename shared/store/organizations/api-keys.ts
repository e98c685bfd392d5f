import { randomBytes } from 'node:crypto';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Scope } from '../../endpoints.ts';
import { limits } from '../../limits.ts';
import {
  type ApiKeyType,
  apiKeyRandomBytes,
  hashApiKey,
  lifetimeDays,
  mintApiKey,
  scopesFor,
} from '../../organization/api-key.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { getItem, itemsOf } from '../table/get-item.ts';
import type { KeyListingItem, Stored, TokenBucketItem } from '../table/items.ts';
import {
  apiKeyPrimaryKey,
  keyListingPrefix,
  keyListingPrimaryKey,
  type PrimaryKey,
} from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { putIfAbsent, type TransactItem, transact } from '../table/transact.ts';
import { type AuditAction, auditEntryPut } from './audit-log.ts';
import { countApiKey, readSettings } from './organizations.ts';

/** An API key as the administrator sees it, without the key itself. Times are ISO 8601, UTC. */
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
  /** `website-form` needs none; `leads.write` includes `leads.read`. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly label: string;
  /** The id of one of the organization's users, active or not. */
  readonly createdBy: number;
  /** ISO 8601; left out, the end of the type's lifetime. May be in the past, to test expiry. */
  readonly expiresAt?: string | undefined;
  readonly now: Date;
  /** The action for the audit log; left out, no entry is written. */
  readonly action?: ((keyId: string) => AuditAction) | undefined;
}

export interface CreatedApiKey {
  /** The key itself, which is shown only once: the table stores its hash. */
  readonly key: string;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly expiresAt: string;
}

/** Thrown when an API key cannot be created as requested. */
export class ApiKeyError extends Error {
  override readonly name = 'ApiKeyError';
}

/**
 * Creates an API key and stores its hash. One transaction of up to four items: the key, its listing, a condition on the settings and an
 * audit entry.
 * @throws ApiKeyError for an unknown organization or creator, or scopes that the type cannot have
 */
export async function createApiKey(table: Table, request: ApiKeyRequest): Promise<CreatedApiKey> {
  const { organizationId, createdBy, type } = request;
  const own = { table, organizationId };
  const scopes = scopesFor(type, request.scopes);
  if (typeof scopes === 'string') throw new ApiKeyError(`The scopes ${scopes}.`);
  return retryOnConflict(async () => {
    const stored = await readSettings(table, organizationId);
    if (!stored)
      throw new ApiKeyError(
        `There is no organization ${organizationId}: create it first with organization apply.`,
      );
    const { users } = stored.settings;
    if (!users.some(({ id }) => id === createdBy)) {
      const lines = users.map(
        ({ id, name, active }) => `${id} (${name}${active ? '' : ', inactive'})`,
      );
      const known = lines.join(', ') || 'nobody yet';
      throw new ApiKeyError(
        `Organization ${organizationId} has no user ${createdBy} to create a key: its users are ${known}.`,
      );
    }
    const { key, keyId } = mintApiKey(randomBytes(apiKeyRandomBytes));
    const attributes = attributesOf(request, keyId, scopes);
    const items = [
      countApiKey(table, organizationId, stored.version),
      ...putApiKey(own, hashApiKey(key), attributes),
      ...auditEntries(own, request.action?.(keyId), request.now),
    ];
    // Refused: settings were applied since they were read, which may have removed the creator.
    if ((await transact(table, items)).outcome !== 'written') return conflict;
    return { key, keyId, scopes, expiresAt: new Date(attributes.expiresAt).toISOString() };
  });
}

const auditEntries = (
  { table, organizationId }: OrganizationTable,
  action: AuditAction | undefined,
  now: Date,
): TransactItem[] =>
  action ? [auditEntryPut(table, organizationId, { at: now.toISOString(), ...action })] : [];

function attributesOf(
  { type, label, createdBy, expiresAt, now }: ApiKeyRequest,
  keyId: string,
  scopes: readonly Scope[],
) {
  const expiry =
    expiresAt === undefined
      ? now.getTime() + lifetimeDays[type] * 86_400_000
      : Date.parse(expiresAt);
  return { keyId, type, label, scopes, createdBy, createdAt: now.toISOString(), expiresAt: expiry };
}

function putApiKey(
  { table, organizationId }: OrganizationTable,
  apiKeyHash: string,
  attributes: ReturnType<typeof attributesOf>,
): TransactItem[] {
  const own = { ...attributes, organizationId };
  return [
    putIfAbsent(table, { ...apiKeyPrimaryKey(apiKeyHash), ...own, used: 0, windowEndsAt: 0 }),
    putIfAbsent(table, {
      ...keyListingPrimaryKey(organizationId, attributes.keyId),
      ...own,
      apiKeyHash,
    }),
  ];
}

/** The organization's API keys, oldest first, revoked and expired ones too; none for an unknown organization. Consistent. */
export const listApiKeys = async (table: Table, organizationId: number): Promise<ListedApiKey[]> =>
  (await readListings(table, organizationId)).map(listedFrom);

export interface ListedApiKeyUse extends ListedApiKey {
  /**
   * ISO 8601, UTC; null if the key was never used. A request was made at this time, and others perhaps in the hour that follows: it is when
   * the key's last window began, so it costs no write.
   */
  readonly lastUsedAt: string | null;
}

/** As `listApiKeys`, with when each key was last used. One more read unit for each key. */
export async function listApiKeysWithUse(
  table: Table,
  organizationId: number,
): Promise<ListedApiKeyUse[]> {
  const listings = await readListings(table, organizationId);
  const keyOf = ({ apiKeyHash }: StoredListing) => apiKeyPrimaryKey(apiKeyHash);
  const buckets = await batchGet(table, listings.map(keyOf));
  return listings.map((listing) => ({
    ...listedFrom(listing),
    lastUsedAt: windowBegan(buckets.get(keyOf(listing))),
  }));
}

const windowBegan = (bucket: TokenBucketItem | undefined): string | null =>
  bucket && bucket.windowEndsAt > 0
    ? new Date(bucket.windowEndsAt - limits.windowMs).toISOString()
    : null;

async function readListings(table: Table, organizationId: number): Promise<StoredListing[]> {
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
  const listings: StoredListing[] = [];
  for await (const { Items } of pages) listings.push(...itemsOf<StoredListing>(Items));
  return listings.sort(
    (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.sk < b.sk ? -1 : 1),
  );
}

type StoredListing = Stored<KeyListingItem>;

function listedFrom(listing: StoredListing): ListedApiKey {
  const { sk, label, type, scopes, createdBy, createdAt, expiresAt, revokedAt = null } = listing;
  const keyId = sk.slice(keyListingPrefix.length);
  return {
    keyId,
    label,
    type,
    scopes,
    createdBy,
    createdAt,
    expiresAt: new Date(expiresAt).toISOString(),
    revokedAt,
  };
}

export interface Revocation {
  /** @default now */
  readonly at?: Date;
  /** For the audit log; left out, no entry is written. */
  readonly action?: AuditAction;
}

/**
 * Revokes an API key from its next request on: the key, its listing and an audit entry in one transaction. Does nothing to a key that
 * is already revoked.
 * @returns when the key was first revoked (ISO 8601); undefined if the organization has no such key
 * @throws ContentionError
 */
export async function revokeApiKey(
  table: Table,
  organizationId: number,
  keyId: string,
  { at = new Date(), action }: Revocation = {},
): Promise<string | undefined> {
  const listingKey = keyListingPrimaryKey(organizationId, keyId);
  return retryOnConflict(async () => {
    const listing = await getItem(table, listingKey);
    if (!listing || listing.revokedAt !== undefined) return listing?.revokedAt;
    const revokedAt = at.toISOString();
    const revoke = (primaryKey: PrimaryKey): TransactItem => ({
      Update: {
        TableName: table.name,
        Key: { ...primaryKey },
        UpdateExpression: 'SET revokedAt = :now',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revokedAt)',
        ExpressionAttributeValues: { ':now': revokedAt },
      },
    });
    const items = [revoke(listingKey), revoke(apiKeyPrimaryKey(listing.apiKeyHash))];
    const { outcome } = await transact(table, [
      ...items,
      ...auditEntries({ table, organizationId }, action, at),
    ]);
    return outcome === 'written' ? revokedAt : conflict;
  });
}
