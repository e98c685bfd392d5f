import { randomBytes } from 'node:crypto';
import type { Scope } from '../../contract/endpoints.ts';
import { limits } from '../../contract/limits.ts';
import {
  type ApiKeyType,
  apiKeyRandomBytes,
  hashApiKey,
  lifetimeDays,
  mintApiKey,
  scopesFor,
} from '../../organization/api-key.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { KeyListingItem, Stored, TokenBucketItem } from '../table/items.ts';
import { queryAll } from '../table/many-items.ts';
import { apiKeyPrimaryKey, keyListingPrimaryKey, type PrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { putIfAbsent, type Write } from '../table/writes.ts';
import { type AuditAction, auditEntryPut } from './audit-log.ts';
import { readSettings, type StoredSettings } from './organizations.ts';
import { countReference } from './replace-settings.ts';

/** An API key as the administrator sees it, without the key itself. Times are ISO 8601, UTC. */
export interface ListedApiKey
  extends Pick<KeyListingItem, 'keyId' | 'label' | 'type' | 'scopes' | 'createdBy' | 'createdAt'> {
  readonly expiresAt: string;
  readonly revokedAt: string | null;
}

export interface ApiKeyRequest {
  readonly organizationId: number;
  readonly type: ApiKeyType;
  /** May be omitted for `website-form`. `leads.write` includes `leads.read`. */
  readonly scopes?: readonly Scope[] | undefined;
  readonly label: string;
  /** The ID of one of the organization's users, active or not. */
  readonly createdBy: number;
  /** ISO 8601; if omitted, the end of the type's lifetime. May be in the past, to test expiry. */
  readonly expiresAt?: string | undefined;
  readonly now: Date;
  /** The action for the audit log; if omitted, no entry is written. */
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
  const { organizationId, type, label, createdBy, now } = request;
  const scopes = scopesFor(type, request.scopes);
  if (typeof scopes === 'string') throw new ApiKeyError(`The scopes ${scopes}.`);
  const expiresAt =
    request.expiresAt === undefined
      ? now.getTime() + lifetimeDays[type] * 86_400_000
      : Date.parse(request.expiresAt);
  const createdAt = now.toISOString();
  return retryOnConflict(async () => {
    const stored = await readSettings(table, organizationId);
    assertCreator(stored, request);
    const { key, keyId } = mintApiKey(randomBytes(apiKeyRandomBytes));
    const apiKeyHash = hashApiKey(key);
    const shared = { organizationId, keyId, type, label, scopes, createdBy, createdAt, expiresAt };
    const items = [
      countReference(organizationId, stored.version),
      putIfAbsent({ ...apiKeyPrimaryKey(apiKeyHash), ...shared, used: 0, windowEndsAt: 0 }),
      putIfAbsent({ ...keyListingPrimaryKey(organizationId, keyId), ...shared, apiKeyHash }),
      ...auditEntries(organizationId, request.action?.(keyId), now),
    ];
    // The settings have been replaced since they were read, which may have removed the creator.
    if ((await transact(table, items)).outcome !== 'written') return conflict;
    return { key, keyId, scopes, expiresAt: new Date(expiresAt).toISOString() };
  });
}

function assertCreator(
  stored: StoredSettings | undefined,
  { organizationId, createdBy }: ApiKeyRequest,
): asserts stored {
  if (!stored)
    throw new ApiKeyError(
      `There is no organization ${organizationId}: create it first with organization apply.`,
    );
  const { users } = stored.settings;
  if (users.some(({ id }) => id === createdBy)) return;
  const lines = users.map(({ id, name, active }) => `${id} (${name}${active ? '' : ', inactive'})`);
  throw new ApiKeyError(
    `Organization ${organizationId} has no user ${createdBy} to create a key: its users are ${lines.join(', ') || 'nobody yet'}.`,
  );
}

const auditEntries = (
  organizationId: number,
  action: AuditAction | undefined,
  now: Date,
): Write[] => (action ? [auditEntryPut(organizationId, { at: now.toISOString(), ...action })] : []);

/** The organization's API keys, oldest first, including revoked and expired ones; none for an unknown organization. Consistent. */
export const listApiKeys = async (table: Table, organizationId: number): Promise<ListedApiKey[]> =>
  (await readListings(table, organizationId)).map(listedFrom);

export interface ListedApiKeyUse extends ListedApiKey {
  /**
   * ISO 8601, UTC; null if the key was never used. This is when the key's last window began, so recording it costs no extra write. The key
   * may have been used again in the following hour.
   */
  readonly lastUsedAt: string | null;
}

/** Like `listApiKeys`, with the time when each key was last used. One more read unit for each key. */
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
  const listings = await queryAll<StoredListing>(table, pk, {
    sortKey: 'begins_with(sk, :prefix)',
    ExpressionAttributeValues: { ':prefix': sk },
  });
  return listings.sort(
    (a, b) => Date.parse(a.createdAt) - Date.parse(b.createdAt) || (a.sk < b.sk ? -1 : 1),
  );
}

type StoredListing = Stored<KeyListingItem>;

function listedFrom(listing: StoredListing): ListedApiKey {
  const { keyId, label, type, scopes, createdBy, createdAt, revokedAt = null } = listing;
  const expiresAt = new Date(listing.expiresAt).toISOString();
  return { keyId, label, type, scopes, createdBy, createdAt, expiresAt, revokedAt };
}

interface Revocation {
  /** @default now */
  readonly at?: Date;
  /** For the audit log; if omitted, no entry is written. */
  readonly action?: AuditAction;
}

/**
 * Revokes an API key, so that its next request is refused: the key, its listing and an audit entry in one transaction. Does nothing if the
 * key is already revoked.
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
    const revoke = (primaryKey: PrimaryKey): Write => ({
      Update: {
        Key: { ...primaryKey },
        UpdateExpression: 'SET revokedAt = :now',
        ConditionExpression: 'attribute_exists(pk) AND attribute_not_exists(revokedAt)',
        ExpressionAttributeValues: { ':now': revokedAt },
      },
    });
    const { outcome } = await transact(table, [
      revoke(listingKey),
      revoke(apiKeyPrimaryKey(listing.apiKeyHash)),
      ...auditEntries(organizationId, action, at),
    ]);
    return outcome === 'written' ? revokedAt : conflict;
  });
}
