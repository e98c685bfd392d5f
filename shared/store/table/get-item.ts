import { GetCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import type { Item, Stored } from './items.ts';
import type { PrimaryKey } from './primary-keys.ts';

/** Reads an item; undefined if it does not exist. One consistent read. */
export async function getItem<T extends Item>(
  table: Table,
  { pk, sk }: PrimaryKey<T>,
): Promise<Stored<T> | undefined> {
  const { Item } = await table.client.send(
    new GetCommand({ TableName: table.name, Key: { pk, sk }, ConsistentRead: true }),
  );
  return Item as Stored<T> | undefined;
}

/** The result of a query or a scan, typed as the items that it selects. */
export const itemsOf = <T extends object>(items: readonly Item[] = []): readonly T[] =>
  items as readonly T[];
