import type { CaptureResult, IdempotencyRecord } from '../../leads/idempotency.ts';
import type { Table } from '../table/client.ts';
import { idempotencyPrimaryKey } from '../table/primary-keys.ts';
import type { TransactItem } from '../table/transact.ts';

/** A record that still counts. Expiry is compared here: TTL deletes late. */
export function liveRecord(item: Readonly<Record<string, unknown>> | undefined, now: Date): IdempotencyRecord | undefined {
  if (!item || (item.expiresAt as number) <= now.getTime()) return undefined;
  const { id, created, updated, archived } = item.result as CaptureResult;
  // Stored maps have no order; a replay reads like the first answer.
  const result = { id, created, updated, ...(archived && { archived }) };
  return { fingerprint: item.fingerprint as string, result, expiresAt: item.expiresAt as number };
}

/** Part of a transaction: remembers a capture, unless one is remembered under this key and not expired. */
export const putRecord = (
  table: Table,
  keyId: string,
  idempotencyKey: string,
  record: IdempotencyRecord,
  now: Date,
): TransactItem => ({
  Put: {
    TableName: table.name,
    Item: { ...idempotencyPrimaryKey(keyId, idempotencyKey), ...record, ttl: Math.ceil(record.expiresAt / 1000) },
    ConditionExpression: 'attribute_not_exists(pk) OR expiresAt <= :now',
    ExpressionAttributeValues: { ':now': now.getTime() },
  },
});
