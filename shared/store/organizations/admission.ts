import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { unmarshall } from '@aws-sdk/util-dynamodb';
import { limits } from '../../contract/limits.ts';
import { rateLimits } from '../../contract/rate-limits.ts';
import type { Table } from '../table/client.ts';
import type { ApiKeyItem, TokenBucketItem } from '../table/items.ts';
import { apiKeyPrimaryKey, type PrimaryKey, usagePrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';

/** A token bucket as it was last read or written. */
export interface Bucket {
  readonly owner: 'API key' | 'organization';
  readonly limit: number;
  readonly remaining: number;
  /** The end of the window, in epoch milliseconds. */
  readonly resetsAt: number;
}

/** The API key that makes a call, and the user who created it. */
export type Caller = Omit<ApiKeyItem, keyof TokenBucketItem | 'type'>;

/** A key that is unknown, revoked or expired. `caller` is for the log, never for the response. */
export interface RefusedKey {
  readonly outcome: 'refused';
  readonly caller: Caller | undefined;
}

export type KeyAdmission =
  | { readonly outcome: 'admitted' | 'exhausted'; readonly caller: Caller; readonly bucket: Bucket }
  | RefusedKey;

export interface OrganizationAdmission {
  readonly outcome: 'admitted' | 'exhausted';
  readonly bucket: Bucket;
  readonly settingsVersion: number;
  readonly leadSequence: number;
}

/**
 * Checks that the API key exists and is live, and takes a token from its bucket: one conditional write, or two when a window begins. The
 * condition decides; the returned item only says why it failed.
 */
export async function admitKey(table: Table, apiKeyHash: string, now: Date): Promise<KeyAdmission> {
  const limit = rateLimits.requestsPerKeyPerWindow;
  const withLiveCondition = (step: TokenStep): TokenStep => ({
    ...step,
    condition: `${step.condition} AND attribute_not_exists(revokedAt) AND expiresAt > :now`,
  });
  const isRevokedOrExpired = ({ revokedAt, expiresAt }: ApiKeyItem): boolean =>
    revokedAt !== undefined || expiresAt <= now.getTime();
  const key = apiKeyPrimaryKey(apiKeyHash);
  const { outcome, item } = await takeToken(table, key, {
    limit,
    now,
    extendStep: withLiveCondition,
    isRevokedOrExpired,
  });
  return outcome === 'refused'
    ? { outcome, caller: item }
    : { outcome, caller: item, bucket: bucketOf(item, limit, 'API key') };
}

/**
 * Takes a token from the organization's bucket. The same write returns the settings' version and, for an endpoint that numbers leads,
 * advances the organization's sequence. A retry after a lost response may take a second token or skip an ID, which does no harm.
 */
export async function admitOrganization(
  table: Table,
  organizationId: number,
  now: Date,
  numbersLeads: boolean,
): Promise<OrganizationAdmission> {
  const limit = rateLimits.requestsPerOrganizationPerWindow;
  const numbering = (step: TokenStep): TokenStep =>
    numbersLeads ? { ...step, expression: `${step.expression} ADD lastLeadId :one` } : step;
  const key = usagePrimaryKey(organizationId);
  const { outcome, item } = await takeToken(table, key, { limit, now, extendStep: numbering });
  if (outcome === 'refused')
    throw new Error(`Organization ${organizationId} has an API key but no usage item.`);
  const { settingsVersion, lastLeadId: leadSequence } = item;
  const bucket = bucketOf(item, limit, 'organization');
  return { outcome, bucket, settingsVersion, leadSequence };
}

const bucketOf = (
  { used, windowEndsAt }: TokenBucketItem,
  limit: number,
  owner: Bucket['owner'],
): Bucket => ({ owner, limit, remaining: Math.max(0, limit - used), resetsAt: windowEndsAt });

/** A conditional write of a token bucket. */
interface TokenStep {
  readonly expression: string;
  readonly condition: string;
  readonly values: Readonly<Record<string, number>>;
}

/** Takes a token of the current window by incrementing `used`. The condition allows exactly `limit` tokens, however many functions run. */
const nextToken = (nowMs: number, limit: number): TokenStep => ({
  expression: 'SET used = used + :one',
  condition: 'windowEndsAt > :now AND used < :limit',
  values: { ':now': nowMs, ':one': 1, ':limit': limit },
});

/** Takes the first token of a new window, once an hour. If another request has started the window, this one takes a token from it. */
const firstToken = (nowMs: number): TokenStep => ({
  expression: 'SET used = :one, windowEndsAt = :end',
  condition: 'windowEndsAt <= :now',
  values: { ':now': nowMs, ':one': 1, ':end': nowMs + limits.windowMs },
});

interface TokenRequest<T> {
  readonly limit: number;
  readonly now: Date;
  /** Adds another update or condition to the write that takes the token. */
  readonly extendStep: (step: TokenStep) => TokenStep;
  /** Whether the key is revoked or expired, so that no tokens can be taken. */
  readonly isRevokedOrExpired?: (item: T) => boolean;
}

type Token<T> =
  | { readonly outcome: 'admitted' | 'exhausted'; readonly item: T }
  /** `item` is the item that failed the condition, if it exists. */
  | { readonly outcome: 'refused'; readonly item: T | undefined };

/** Takes a token of the current window, or the first token of the next one. */
function takeToken<T extends TokenBucketItem>(
  table: Table,
  key: PrimaryKey<T>,
  { limit, now, extendStep, isRevokedOrExpired = () => false }: TokenRequest<T>,
): Promise<Token<T>> {
  const nowMs = now.getTime();
  return retryOnConflict<Token<T>>(async () => {
    const next = await update(table, key, extendStep(nextToken(nowMs, limit)));
    const { item } = next;
    if (next.outcome === 'admitted' || !item || isRevokedOrExpired(item)) return next;
    if (item.windowEndsAt > nowMs) return { outcome: 'exhausted', item };
    const first = await update(table, key, extendStep(firstToken(nowMs)));
    return first.outcome === 'admitted' ? first : conflict;
  });
}

async function update<T extends TokenBucketItem>(
  table: Table,
  primaryKey: PrimaryKey<T>,
  { expression, condition, values }: TokenStep,
): Promise<Token<T>> {
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
    return { outcome: 'admitted', item: Attributes as T };
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return { outcome: 'refused', item: error.Item && (unmarshall(error.Item) as T) };
  }
}
