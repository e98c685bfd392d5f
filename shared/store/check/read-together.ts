import { TransactionCanceledException } from '@aws-sdk/client-dynamodb';
import { TransactGetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table/client.ts';
import type { PrimaryKey } from '../table/primary-keys.ts';
import { conflict } from '../table/retry.ts';

export type Item = Readonly<Record<string, unknown>>;

/**
 * Reads items as they are at one moment: one `TransactGetItems`, two read units for 4 KB of each. The answer is parallel to the keys.
 * A write in progress at one of the items is another that was met.
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
