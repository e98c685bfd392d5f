import {
  ConditionalCheckFailedException,
  TransactionConflictException,
} from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { limits } from '../../limits.ts';
import { rateLimits } from '../../rate-limits.ts';
import type { Table } from '../table/client.ts';
import type { ApiKeyItem, TokenBucketItem } from '../table/items.ts';
import { apiKeyPrimaryKey, type PrimaryKey, usagePrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';

/** A token bucket as it was read or written last. */
export interface Bucket {
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window, in epoch milliseconds. */
  readonly resetsAt: number;
}

/** The API key that makes a call, and the user who created it. */
export type Caller = Pick<
  ApiKeyItem,
  'organizationId' | 'keyId' | 'label' | 'scopes' | 'createdBy' | 'createdAt' | 'expiresAt'
>;

export type KeyAdmission =
  | { readonly outcome: 'admitted' | 'exhausted'; readonly caller: Caller; readonly bucket: Bucket }
  | { readonly outcome: 'unknown' | 'revoked' | 'expired' };

export type OrganizationAdmission =
  | {
      readonly outcome: 'admitted';
      readonly bucket: Bucket;
      readonly settingsVersion: number;
      readonly leadSequence: number;
    }
  | { readonly outcome: 'exhausted'; readonly bucket: Bucket };

/** Checks that the API key exists and is live, and takes a token from its bucket: one conditional write, two when a window begins. */
export async function admitKey(table: Table, apiKeyHash: string, now: Date): Promise<KeyAdmission> {
  const result = await takeToken(table, apiKeyPrimaryKey(apiKeyHash), now, {
    limit: rateLimits.requestsPerKeyPerWindow,
    live: 'attribute_not_exists(revokedAt) AND expiresAt > :now',
    isLive: ({ revokedAt, expiresAt }) => revokedAt === undefined && expiresAt > now.getTime(),
  });
  if (result.outcome === 'absent') return { outcome: 'unknown' };
  if (result.outcome === 'refused')
    return { outcome: result.item.revokedAt === undefined ? 'expired' : 'revoked' };
  const { organizationId, keyId, label, scopes, createdBy, createdAt, expiresAt } = result.item;
  const caller = { organizationId, keyId, label, scopes, createdBy, createdAt, expiresAt };
  return { ...result, caller };
}

/**
 * Takes a token from the organization's bucket. The same write returns the settings' version and, for an endpoint that numbers leads,
 * advances the organization's sequence. A retry after a lost response may take a second token or skip an id, which does no harm.
 */
export async function admitOrganization(
  table: Table,
  organizationId: number,
  now: Date,
  numbersLeads: boolean,
): Promise<OrganizationAdmission> {
  const result = await takeToken(table, usagePrimaryKey(organizationId), now, {
    limit: rateLimits.requestsPerOrganizationPerWindow,
    sequence: numbersLeads ? 'lastLeadId' : undefined,
  });
  if (result.outcome === 'absent' || result.outcome === 'refused') {
    throw new Error(`Organization ${organizationId} has an API key but no usage item.`);
  }
  if (result.outcome === 'exhausted') return { outcome: 'exhausted', bucket: result.bucket };
  const { settingsVersion, lastLeadId } = result.item;
  return { outcome: 'admitted', bucket: result.bucket, settingsVersion, leadSequence: lastLeadId };
}

interface TokenRules<T extends TokenBucketItem> {
  readonly limit: number;
  /** Further conditions for a token, as an expression and as a predicate of the item. */
  readonly live?: string;
  readonly isLive?: (item: T) => boolean;
  /** An attribute that each token advances by one. */
  readonly sequence?: string | undefined;
}

type TakeResult<T> =
  | { readonly outcome: 'admitted' | 'exhausted'; readonly item: T; readonly bucket: Bucket }
  | { readonly outcome: 'refused'; readonly item: T }
  | { readonly outcome: 'absent' };

/**
 * Takes a token first and begins a new window only when that fails: one call, and two once an hour.
 * Exactly `limit` tokens are taken in a window, however many functions run: each token is one step of `used` under the condition.
 */
async function takeToken<T extends TokenBucketItem>(
  table: Table,
  primaryKey: PrimaryKey<T>,
  now: Date,
  rules: TokenRules<T>,
): Promise<TakeResult<T>> {
  const { limit, live = 'attribute_exists(pk)', isLive = () => true, sequence } = rules;
  const nowMs = now.getTime();
  const advance = sequence === undefined ? '' : ` ADD ${sequence} :one`;
  const take = (
    set: string,
    condition: string,
    values: Record<string, number>,
  ): Promise<UpdateResult<T>> =>
    update(table, primaryKey, {
      expression: `SET ${set}${advance}`,
      condition: `attribute_exists(pk) AND ${live} AND ${condition}`,
      values: { ':now': nowMs, ':one': 1, ...values },
    });

  return retryOnConflict<TakeResult<T>>(async () => {
    let result = await take('used = used + :one', 'windowEndsAt > :now AND used < :limit', {
      ':limit': limit,
    });
    if (result.outcome === 'refused') {
      const { item } = result;
      if (!item) return { outcome: 'absent' };
      if (!isLive(item)) return { outcome: 'refused', item };
      if (item.windowEndsAt > nowMs)
        return { outcome: 'exhausted', item, bucket: bucketOf(item, limit) };
      result = await take('used = :one, windowEndsAt = :end', 'windowEndsAt <= :now', {
        ':end': nowMs + limits.windowMs,
      });
      if (result.outcome === 'refused') return conflict; // another request began the window: take a token from it
    }
    return { outcome: 'admitted', item: result.item, bucket: bucketOf(result.item, limit) };
  });
}

function bucketOf({ used, windowEndsAt }: TokenBucketItem, limit: number): Bucket {
  return { limit, remaining: Math.max(0, limit - used), resetsAt: windowEndsAt };
}

interface ConditionalUpdate {
  readonly expression: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
}

type UpdateResult<T> =
  /** The item after the update. */
  | { readonly outcome: 'written'; readonly item: T }
  /** The item that failed the condition, if there is one. */
  | { readonly outcome: 'refused'; readonly item: T | undefined };

/** One conditional update, retried while a transaction (a revocation, an apply) holds the item. */
async function update<T extends TokenBucketItem>(
  table: Table,
  primaryKey: PrimaryKey<T>,
  { expression, condition, values }: ConditionalUpdate,
): Promise<UpdateResult<T>> {
  return retryOnConflict<UpdateResult<T>>(async () => {
    try {
      const { Attributes } = await table.client.send(
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
      return { outcome: 'written', item: Attributes as T };
    } catch (error) {
      if (error instanceof TransactionConflictException) return conflict;
      if (!(error instanceof ConditionalCheckFailedException)) throw error;
      return { outcome: 'refused', item: error.Item && (unmarshall(error.Item) as T) };
    }
  });
}
