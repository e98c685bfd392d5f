import { ConditionalCheckFailedException, TransactionConflictException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import type { Scope } from '../../endpoints.ts';
import { limits } from '../../limits.ts';
import { rateLimits } from '../../rate-limits.ts';
import type { Table } from '../table/client.ts';
import { apiKeyPrimaryKey, type PrimaryKey, usagePrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';

/** A token bucket after a look at it. */
export interface Bucket {
  readonly limit: number;
  readonly remaining: number;
  /** End of the window, epoch milliseconds. */
  readonly resetsAt: number;
}

/** The API key making a call, and the person who created it. */
export interface Caller {
  readonly organizationId: number;
  readonly keyId: string;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly createdBy: number;
  /** Epoch milliseconds. */
  readonly expiresAt: number;
}

export type KeyAdmission =
  | { readonly outcome: 'admitted' | 'exhausted'; readonly caller: Caller; readonly bucket: Bucket }
  | { readonly outcome: 'unknown' | 'revoked' | 'expired' };

export type OrganizationAdmission =
  | { readonly outcome: 'admitted'; readonly bucket: Bucket; readonly settingsVersion: number; readonly leadSequence: number }
  | { readonly outcome: 'exhausted'; readonly bucket: Bucket };

type Item = Readonly<Record<string, unknown>>;

/** Looks the key up, checks that it is live and takes one token from its bucket: one conditional write (two when a window begins). */
export async function admitKey(table: Table, apiKeyHash: string, now: Date): Promise<KeyAdmission> {
  const taken = await takeToken(table, apiKeyPrimaryKey(apiKeyHash), now, {
    limit: rateLimits.requestsPerKeyPerWindow,
    live: 'attribute_not_exists(revokedAt) AND expiresAt > :now',
    isLive: ({ revokedAt, expiresAt }) => revokedAt === undefined && (expiresAt as number) > now.getTime(),
  });
  if (taken.outcome === 'absent') return { outcome: 'unknown' };
  if (taken.outcome === 'refused') return { outcome: taken.item.revokedAt === undefined ? 'expired' : 'revoked' };
  const { organizationId, keyId, label, scopes, createdBy, expiresAt } = taken.item as unknown as Caller;
  return { ...taken, caller: { organizationId, keyId, label, scopes, createdBy, expiresAt } };
}

/**
 * Takes one token from the organization's bucket; with the same write learns the settings' version and, for an endpoint that
 * numbers leads, advances the organization's sequence. A retry after a lost answer may take a second token or skip an id: harmless.
 */
export async function admitOrganization(
  table: Table,
  organizationId: number,
  now: Date,
  numbersLeads: boolean,
): Promise<OrganizationAdmission> {
  const taken = await takeToken(table, usagePrimaryKey(organizationId), now, {
    limit: rateLimits.requestsPerOrganizationPerWindow,
    sequence: numbersLeads ? 'lastLeadId' : undefined,
  });
  if (taken.outcome === 'absent' || taken.outcome === 'refused') {
    throw new Error(`Organization ${organizationId} has an API key but no usage item.`);
  }
  if (taken.outcome === 'exhausted') return { outcome: 'exhausted', bucket: taken.bucket };
  const { settingsVersion, lastLeadId } = taken.item as { settingsVersion: number; lastLeadId: number };
  return { outcome: 'admitted', bucket: taken.bucket, settingsVersion, leadSequence: lastLeadId };
}

interface TokenRules {
  readonly limit: number;
  /** Further conditions under which a token is given, as an expression and as a question to an item. */
  readonly live?: string;
  readonly isLive?: (item: Item) => boolean;
  /** An attribute that each token advances by one. */
  readonly sequence?: string | undefined;
}

type Taken =
  | { readonly outcome: 'admitted' | 'exhausted'; readonly item: Item; readonly bucket: Bucket }
  | { readonly outcome: 'refused'; readonly item: Item }
  | { readonly outcome: 'absent' };

/**
 * Takes a token first and begins a new window only when that fails: one call, and two once an hour.
 * Exactly `limit` pass in a window, however many functions take: each token is one step of `used` under the condition.
 */
async function takeToken(table: Table, primaryKey: PrimaryKey, now: Date, rules: TokenRules): Promise<Taken> {
  const { limit, live = 'attribute_exists(pk)', isLive = () => true, sequence } = rules;
  const nowMs = now.getTime();
  const advance = sequence === undefined ? '' : ` ADD ${sequence} :one`;
  const take = (set: string, condition: string, values: Record<string, number>): Promise<Item | { refused: Item | undefined }> =>
    update(table, primaryKey, `SET ${set}${advance}`, `attribute_exists(pk) AND ${live} AND ${condition}`, {
      ':now': nowMs,
      ':one': 1,
      ...values,
    });

  return retryOnConflict<Taken>(async () => {
    let taken = await take('used = used + :one', 'windowEndsAt > :now AND used < :limit', { ':limit': limit });
    if (isRefused(taken)) {
      const item = taken.refused;
      if (!item) return { outcome: 'absent' };
      if (!isLive(item)) return { outcome: 'refused', item };
      if ((item.windowEndsAt as number) > nowMs) return { outcome: 'exhausted', item, bucket: bucketOf(item, limit) };
      taken = await take('used = :one, windowEndsAt = :end', 'windowEndsAt <= :now', { ':end': nowMs + limits.windowMs });
      if (isRefused(taken)) return conflict; // another request began the window: take from it
    }
    return { outcome: 'admitted', item: taken, bucket: bucketOf(taken, limit) };
  });
}

function bucketOf({ used, windowEndsAt }: Item, limit: number): Bucket {
  return { limit, remaining: Math.max(0, limit - (used as number)), resetsAt: windowEndsAt as number };
}

const isRefused = (taken: Item | { refused: Item | undefined }): taken is { refused: Item | undefined } => 'refused' in taken;

/** One conditional update: the item after it, or the item that refused it. Meeting a transaction (a revocation, an apply) is tried again. */
async function update(
  table: Table,
  primaryKey: PrimaryKey,
  expression: string,
  condition: string,
  values: Record<string, number>,
): Promise<Item | { refused: Item | undefined }> {
  return retryOnConflict(async () => {
    try {
      const { Attributes = {} } = await table.client.send(
        new UpdateCommand({
          TableName: table.name,
          Key: { ...primaryKey },
          UpdateExpression: expression,
          ConditionExpression: condition,
          ExpressionAttributeValues: values,
          ReturnValues: 'ALL_NEW',
          ReturnValuesOnConditionCheckFailure: 'ALL_OLD',
        }),
      );
      return Attributes;
    } catch (error) {
      if (error instanceof TransactionConflictException) return conflict;
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { refused: error.Item && unmarshall(error.Item) };
    }
  });
}
