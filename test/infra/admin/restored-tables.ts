import { randomUUID } from 'node:crypto';
import { PutCommand, paginateScan } from '@aws-sdk/lib-dynamodb';
import { createTable } from '../../../infra/local/table.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { table } from '../../support/organizations.ts';
import { service } from '../../support/service.ts';
import { runAdminIn } from './run-admin.ts';

/** The run's environment with another table. */
export const environmentOf = (LEADS_TABLE: string) => ({ ...service().environment, LEADS_TABLE });

export async function newTable(kind: string, name = `${kind}-${randomUUID()}`): Promise<Table> {
  const made = { ...table(), name };
  await createTable(environmentOf(made.name) as unknown as Parameters<typeof createTable>[0]);
  return made;
}

export async function itemsOf({ client, name }: Table): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = [];
  for await (const { Items = [] } of paginateScan({ client }, { TableName: name, ConsistentRead: true })) items.push(...Items);
  return items;
}

/** A new table with what another one holds now, as a restore makes it. */
export async function restored(from: Table | readonly Record<string, unknown>[], name?: string): Promise<Table> {
  const made = await newTable('restored', name);
  const items = 'client' in from ? await itemsOf(from) : from;
  await Promise.all(items.map((Item) => made.client.send(new PutCommand({ TableName: made.name, Item }))));
  return made;
}

/** `restore finish` on a table. */
export const finish = async (on: Table, ...args: readonly string[]) => {
  const answer = await runAdminIn(environmentOf(on.name), 'restore', 'finish', ...args, '--json');
  return { ...answer, document: answer.stdout === '' ? undefined : JSON.parse(answer.stdout) };
};
