import { limits } from '../../limits.ts';
import type { Table } from '../table/client.ts';
import type { IdempotencyItem } from '../table/items.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import type { TransactItem } from '../table/transact.ts';

/** The response to a capture: the contract's `lead` object (section 4.3). */
export type CaptureResult = IdempotencyItem['result'];

/** The stored result of a capture, for its repeats. */
export type IdempotencyRecord = Pick<IdempotencyItem, 'fingerprint' | 'result' | 'expiresAt'>;

/** When the idempotency window of a capture at this time ends, in epoch milliseconds. */
export const recordExpiry = (now: Date): number => now.getTime() + limits.idempotencyHours * 3_600_000;

/** A record that has not expired. The expiry is compared here because TTL deletes late. */
export function liveRecord(item: IdempotencyItem | undefined, now: Date): IdempotencyRecord | undefined {
  if (!item || item.expiresAt <= now.getTime()) return undefined;
  const { fingerprint, expiresAt } = item;
  const { id, created, updated, archived } = item.result;
  // A stored map comes back in any order; a replay has the order of the first response.
  return { fingerprint, result: { id, created, updated, ...(archived && { archived }) }, expiresAt };
}

/** Part of a transaction: stores the record of a capture, unless there is one under this key that has not expired. */
export const putRecord = (
  table: Table,
  key: PrimaryKey<IdempotencyItem>,
  record: IdempotencyRecord,
  now: Date,
): TransactItem => ({
  Put: {
    TableName: table.name,
    Item: { ...key, ...record, ttl: Math.ceil(record.expiresAt / 1000) },
    ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
    ExpressionAttributeValues: { ':now': now.getTime() },
  },
});
