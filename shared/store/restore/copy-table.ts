import { DeleteTableCommand, ResourceNotFoundException } from '@aws-sdk/client-dynamodb';
import { partsOf } from '../../base/batches.ts';
import type { Table } from '../table/client.ts';
import { allSettled } from '../table/pacing.ts';
import { scanTable } from '../table/scan-table.ts';
import { put, writeItem } from '../table/writes.ts';

const writesAtOnce = 25;

/** Copies the items of a table into other tables while it reads them. @returns how many */
export async function copyItems(from: Table, copies: readonly Table[]): Promise<number> {
  let copied = 0;
  await scanTable(from, { ConsistentRead: true }, async ({ items }) => {
    for (const part of partsOf(items, writesAtOnce)) {
      await allSettled(copies.flatMap((copy) => part.map((item) => writeItem(copy, put(item)))));
      copied += part.length;
    }
  });
  return copied;
}

/** Deletes a table with all its items, if it exists. */
export async function deleteTable({ client, name }: Table): Promise<void> {
  try {
    await client.send(new DeleteTableCommand({ TableName: name }));
  } catch (error) {
    if (!(error instanceof ResourceNotFoundException)) throw error;
  }
}
