import { type ApiKeyType, lifetimeDays } from '../../../shared/organization/api-key.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import {
  type ApiKeyRequest,
  type CreatedApiKey,
  createApiKey,
  type ListedApiKey,
  listApiKeys,
} from '../../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { CommandError } from '../../cli/command.ts';

export const dayMs = 86_400_000;

export const unknownKeyError = (
  { organizationId }: { readonly organizationId: number },
  keyId: string,
) =>
  new CommandError(
    `Organization ${organizationId} has no API key with the ID ${keyId}: find the ID with key list.`,
  );

/**
 * A key and its successor.
 * @param userId the user that the successor acts for, @default the same user
 * @throws CommandError if the key is unknown or revoked
 */
export async function successorOf(
  table: Table,
  { id: organizationId }: Organization,
  keyId: string,
  userId?: number,
): Promise<{ old: ListedApiKey; key: NewKey }> {
  const keys = await listApiKeys(table, organizationId);
  const old = keys.find((listed) => listed.keyId === keyId);
  if (!old) throw unknownKeyError({ organizationId }, keyId);
  const { type, scopes, label, revokedAt } = old;
  if (revokedAt !== null)
    throw new CommandError(
      `API key ${keyId} was revoked on ${revokedAt}: create a new one with key create.`,
    );
  const whatOf = (newKeyId: string) => `key rotate ${keyId} to ${newKeyId} (${label})`;
  return { old, key: { type, scopes, label, createdBy: userId ?? old.createdBy, whatOf } };
}

export interface NewKey extends Omit<ApiKeyRequest, 'organizationId' | 'now' | 'action'> {
  /** Days. */
  readonly expiresIn?: number | undefined;
  /** The audit entry. @default the key is created, not rotated */
  readonly whatOf?: (keyId: string) => string;
}

/** Why a key of the type cannot be valid for `days`; undefined if it can. */
export const daysIssue = (days: number | undefined, type: ApiKeyType): string | undefined =>
  days !== undefined && days >= lifetimeDays[type]
    ? `must be shorter than the ${lifetimeDays[type]} days for which an API key of type ${type} is valid`
    : undefined;

/** @param who creates it, for the audit log @throws ApiKeyError */
export function createKey(
  table: Table,
  organizationId: number,
  { expiresIn: days, whatOf = (keyId) => `key create ${keyId} (${key.label})`, ...key }: NewKey,
  who: string,
): Promise<CreatedApiKey> {
  const now = new Date();
  const expiry = days === undefined ? undefined : new Date(now.getTime() + days * dayMs);
  const request = { organizationId, ...key, expiresAt: expiry?.toISOString(), now };
  return createApiKey(table, { ...request, action: (keyId) => ({ who, what: whatOf(keyId) }) });
}

export const isExpired = (expiresAt: string): boolean => Date.parse(expiresAt) <= Date.now();

export const isLive = ({ expiresAt, revokedAt }: ListedApiKey): boolean =>
  revokedAt === null && !isExpired(expiresAt);

/** Captures need `leads.capture` or `leads.write`. */
export const canCapture = ({ scopes }: ListedApiKey): boolean =>
  scopes.some((scope) => scope !== 'leads.read');
