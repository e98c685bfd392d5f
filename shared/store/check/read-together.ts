import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table/client.ts';
import type { Item } from '../table/items.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import { conflict } from '../table/retry.ts';

/**
 * Reads items as of one moment: one `TransactGetItems`, two read units for each 4 KB of an item.
 * @returns the items in the order of the keys; `conflict` while one of them is being written
 */
export async function readTogether(table: Table, keys: readonly PrimaryKey[]): Promise<(Item | undefined)[] | typeof conflict> {
  try {
    const { Responses = [] } = await table.client.send(
      new TransactGetCommand({ TransactItems: keys.map(({ pk, sk }) => ({ Get: { TableName: table.name, Key: { pk, sk } } })) }),
    );
    return keys.map((_, index) => Responses[index]?.Item);
  } catch (error) {
    if (error instanceof TransactionCanceledException) return conflict;
    throw error;
  }
}
