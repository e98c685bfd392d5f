import { isDeepStrictEqual } from 'node:util';
import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/items.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { interruptionOf } from '../table/transact.ts';

/** How long to retry if the items are constantly written or throttled. */
const timeoutMs = 60_000;

/**
 * Reads items as of one moment, by one `TransactGetItems`: two read units for each 4 KB of an item. Waits while other requests write them.
 * @returns the items in the order of the keys
 * @throws ContentionError if they are constantly written or throttled
 */
export async function readTogether(
  table: Table,
  keys: readonly PrimaryKey[],
): Promise<(Item | undefined)[]> {
  const gets = keys.map(({ pk, sk }) => ({ Get: { TableName: table.name, Key: { pk, sk } } }));
  return retryOnConflict(async () => {
    try {
      const { Responses = [] } = await table.client.send(
        new TransactGetCommand({ TransactItems: gets }),
      );
      return keys.map((_, index) => Responses[index]?.Item);
    } catch (error) {
      if (error instanceof TransactionCanceledException && interruptionOf(error)) return conflict;
      throw error;
    }
  }, timeoutMs);
}

/**
 * Reads an item, then reads it again together with items that depend on it, until both reads return the same item.
 * @param dependentKeys may read more; whatever is written together with the item is then consistent with it
 * @returns the item and the dependent items, in the order of their keys
 * @throws ContentionError
 */
export async function readWith(
  table: Table,
  key: PrimaryKey,
  dependentKeys: (item: Item | undefined) => readonly PrimaryKey[] | Promise<readonly PrimaryKey[]>,
): Promise<(Item | undefined)[]> {
  let [before] = await readTogether(table, [key]);
  return retryOnConflict(async () => {
    const items = await readTogether(table, [key, ...(await dependentKeys(before))]);
    if (isDeepStrictEqual(before, items[0])) return items;
    [before] = items;
    return conflict;
  }, timeoutMs);
}
