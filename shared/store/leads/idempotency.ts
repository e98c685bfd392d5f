import type { IdempotencyRecord } from '../../leads/idempotency.ts';
import type { Table } from '../table/client.ts';
import type { IdempotencyItem } from '../table/items.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import type { TransactItem } from '../table/transact.ts';

/** A record that has not expired. The expiry is compared here because TTL deletes late. */
export function liveRecord(
  item: IdempotencyItem | undefined,
  now: Date,
): IdempotencyRecord | undefined {
  if (!item || item.expiresAt <= now.getTime()) return undefined;
  const { fingerprint, expiresAt } = item;
  const { id, created, updated, archived } = item.result;
  // A stored map comes back in any order; a replay has the order of the first response.
  return {
    fingerprint,
    result: { id, created, updated, ...(archived && { archived }) },
    expiresAt,
  };
}

/** Part of a transaction: stores the record of a capture, unless there is one under this key that has not expired. */
export const putRecord = (
  table: Table,
  key: PrimaryKey<IdempotencyItem>,
  record: IdempotencyRecord,
): TransactItem => ({
  Put: {
    TableName: table.name,
    Item: { ...key, ...record, ttl: Math.ceil(record.expiresAt / 1000) },
    ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
    ExpressionAttributeValues: { ':now': Date.now() },
  },
});
