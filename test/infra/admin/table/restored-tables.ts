import { setTimeout as pause } from 'node:timers/promises';
import { paginateScan } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../../../../shared/store/table/client.ts';
import { runAdmin } from '../../../support/admin.ts';
import { storeItems } from '../../../support/leads.ts';
import { environmentOf, givenTable } from '../../../support/table.ts';

export async function itemsOf({ client, name }: Table): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan(
    { client },
    { TableName: name, ConsistentRead: true },
  ))
    items.push(...Items);
  return items;
}

const wholeSeconds = (): number => Math.floor(Date.now() / 1000);

/** Waits until a table that is created now is newer than one that was created before: their times of creation are whole seconds. */
export async function nextSecond(): Promise<void> {
  const second = wholeSeconds();
  while (wholeSeconds() === second) await pause(1000 - (Date.now() % 1000));
}

/** A new table with what another one holds now, as a restore makes it. */
export async function restored(from: Table | readonly Record<string, unknown>[]): Promise<Table> {
  const made = await givenTable();
  await storeItems(made, 'client' in from ? await itemsOf(from) : from);
  return made;
}

/** `restore finish` on a table. */
export const finish = async (on: Table, ...args: readonly string[]) => {
  const answer = await runAdmin(['restore', 'finish', ...args, '--json'], {
    environment: environmentOf(on.name),
  });
  return { ...answer, document: answer.json };
};
