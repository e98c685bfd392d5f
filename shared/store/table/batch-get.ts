import { setTimeout as sleep } from 'node:timers/promises';
import { BatchGetCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../limits.ts';
import type { Table } from './client.ts';
import type { PrimaryKey } from './primary-keys.ts';

type Item = Readonly<Record<string, unknown>>;

/** An item as far as it was read: `unread` is neither there nor absent. */
export type BatchItem = Item | undefined | typeof unread;
export const unread = Symbol('left unprocessed by DynamoDB');

/**
 * Reads up to 100 items at once, consistently; the answer is parallel to the keys, undefined where there is no item.
 * DynamoDB answers 200 with `UnprocessedKeys`, which the SDK does not ask again: they are asked for here until `patienceMs` are over.
 */
export async function batchGetWithin(table: Table, keys: readonly PrimaryKey[], patienceMs: number): Promise<BatchItem[]> {
  const giveUpAt = Date.now() + patienceMs;
  const found = new Map<string, Item>();
  let wanted: Record<string, unknown>[] = keys.map(({ pk, sk }) => ({ pk, sk }));
  for (let turn = 0; wanted.length > 0; turn += 1) {
    if (turn > 0) {
      if (Date.now() >= giveUpAt) break;
      await sleep(Math.random() * Math.min(200, 10 * 2 ** turn));
    }
    const { Responses, UnprocessedKeys } = await table.client.send(
      new BatchGetCommand({ RequestItems: { [table.name]: { Keys: wanted, ConsistentRead: true } } }),
    );
    for (const item of Responses?.[table.name] ?? []) found.set(nameOf(item), item);
    wanted = UnprocessedKeys?.[table.name]?.Keys ?? [];
  }
  const left = new Set(wanted.map(nameOf));
  return keys.map((key) => (left.has(nameOf(key)) ? unread : found.get(nameOf(key))));
}

const nameOf = ({ pk, sk }: Readonly<Record<string, unknown>> | PrimaryKey): string => `${pk}\n${sk}`;

/** As `batchGetWithin`, all or nothing. @throws Error when some stay unread. */
export async function batchGet(table: Table, keys: readonly PrimaryKey[]): Promise<(Item | undefined)[]> {
  const items = await batchGetWithin(table, keys, limits.conflictRetryMs);
  return items.map((item) => {
    if (item === unread) throw new Error('DynamoDB left keys of a batch unread.');
    return item;
  });
}
