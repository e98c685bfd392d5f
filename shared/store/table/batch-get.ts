import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { partsOf } from '../../base/batches.ts';
import { limits } from '../../contract/limits.ts';
import type { Table } from './client.ts';
import { ItemsByKey, keyText, type PrimaryKey } from './primary-keys.ts';

/** The maximum number of keys in a `BatchGetItem` (AWS: Service quotas). */
export const batchGetMax = 100;

interface BatchGetResult {
  readonly items: ItemsByKey;
  /** Whether DynamoDB left a key unprocessed, so that its item may exist. */
  isUnread(key: PrimaryKey): boolean;
}

/**
 * Reads up to `batchGetMax` items in one consistent `BatchGetItem`. DynamoDB may respond with `UnprocessedKeys`, which the SDK does not
 * retry: this function does, for up to `retryMs`.
 * @param items receives the items
 */
export async function batchGetWithin(
  table: Table,
  keys: readonly PrimaryKey[],
  retryMs: number,
  items = new ItemsByKey(),
): Promise<BatchGetResult> {
  const giveUpAt = Date.now() + retryMs;
  let unread = keys.map(({ pk, sk }) => ({ pk, sk }));
  for (let attempt = 0; unread.length > 0; attempt += 1) {
    if (attempt > 0) {
      if (Date.now() >= giveUpAt) break;
      await sleep(Math.random() * Math.min(200, 10 * 2 ** attempt));
    }
    const { Responses, UnprocessedKeys } = await table.client.send(
      new BatchGetCommand({
        RequestItems: { [table.name]: { Keys: unread, ConsistentRead: true } },
      }),
    );
    for (const item of Responses?.[table.name] ?? []) items.add(item);
    const unprocessed = UnprocessedKeys?.[table.name]?.Keys ?? [];
    unread = unprocessed.map(({ pk, sk }) => ({ pk, sk }));
  }
  const unreadKeys = new Set(unread.map(keyText));
  return { items, isUnread: (key) => unreadKeys.has(keyText(key)) };
}

/**
 * Reads any number of items, `batchGetMax` at a time. Consistent, a read unit for each 4 KB of an item.
 * @throws Error if keys stay unprocessed
 */
export async function batchGet(table: Table, keys: readonly PrimaryKey[]): Promise<ItemsByKey> {
  const all = new ItemsByKey();
  const distinct = [...new Map(keys.map((key) => [keyText(key), key])).values()];
  for (const batch of partsOf(distinct, batchGetMax)) {
    const { isUnread } = await batchGetWithin(table, batch, limits.conflictRetryMs, all);
    if (batch.some(isUnread)) throw new Error('DynamoDB left keys of a batch unprocessed.');
  }
  return all;
}
