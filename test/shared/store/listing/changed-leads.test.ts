import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import {
  entriesPerPage,
  readChangedLeads,
} from '../../../../shared/store/listing/changed-leads.ts';
import { PageBudget } from '../../../../shared/store/listing/page-budget.ts';
import type { Table } from '../../../../shared/store/table/client.ts';

interface Entry {
  readonly sk: string;
  readonly updatedAt: string;
}

/** A table whose update index holds these entries; counts its queries. */
function indexOf(entries: Entry[]): { table: Table; queries: () => number } {
  let queries = 0;
  const send = async ({ input }: QueryCommand) => {
    queries += 1;
    const { Limit = 0, ExclusiveStartKey, ExpressionAttributeValues } = input;
    const ordered = entries
      .filter(({ updatedAt }) => updatedAt >= ExpressionAttributeValues?.[':from'])
      .sort((a, b) => (a.updatedAt + a.sk < b.updatedAt + b.sk ? -1 : 1));
    const start = ordered.findIndex(({ sk }) => sk === ExclusiveStartKey?.sk) + 1;
    const Items = ordered.slice(start, start + Limit);
    return {
      Items,
      LastEvaluatedKey: start + Limit < ordered.length ? { sk: Items.at(-1)?.sk } : undefined,
    };
  };
  return { table: { name: 'leads', client: { send } } as unknown as Table, queries: () => queries };
}

const entryOf = (id: number, at: number): Entry => ({
  sk: String(id),
  updatedAt: new Date(at).toISOString(),
});
const budget = () => new PageBudget(4_000_000, 60_000);

test('a change dated by a clock far ahead hides no later change', async () => {
  const since = Date.now() - 3_600_000;
  const entries = [entryOf(1, Date.now() + 120_000)];
  const { table } = indexOf(entries);
  const read = () => readChangedLeads({ table, organizationId: 1 }, since, 1000, budget());
  expect((await read()).ids).toEqual([1]);

  entries.push(entryOf(2, Date.now()));
  const { ids, isComplete } = await read();

  expect([ids, isComplete]).toEqual([[2, 1], true]);
});

test('a cached read of as many changed leads as a page reads is extended in pages, not one by one', async () => {
  const since = Date.now() - 3_600_000;
  const justNow = Date.now() - 1000;
  const entries = Array.from({ length: entriesPerPage - 1 }, (_, index) =>
    entryOf(index + 1, justNow + (index % 900)),
  );
  const { table, queries } = indexOf(entries);
  const read = (requested: number) =>
    readChangedLeads({ table, organizationId: 2 }, since, requested, budget());
  const first = await read(entriesPerPage);
  expect([first.ids.length, first.isComplete]).toEqual([entriesPerPage - 1, true]);
  const queriesBefore = queries();

  entries.push(entryOf(entriesPerPage, Date.now()));
  const { ids, isComplete } = await read(1000);

  expect([ids.length, isComplete]).toEqual([entriesPerPage, true]);
  expect(queries() - queriesBefore).toBeLessThanOrEqual(entriesPerPage / 1000 + 1);
});
