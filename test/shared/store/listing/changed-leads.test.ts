import type { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import {
  changedLeadsMax,
  entriesPerPage,
  readChangedIds,
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
  const read = () => readChangedIds({ table, organizationId: 1 }, since, budget());
  expect(await read()).toEqual([1]);

  entries.push(entryOf(2, Date.now()));

  expect(await read()).toEqual([2, 1]);
});

test('a change that the index shows late is found, and a back-dated one within a minute', async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  const now = Date.now();
  const since = now - 3_600_000;
  const entries = [entryOf(1, now)];
  const { table } = indexOf(entries);
  const read = () => readChangedIds({ table, organizationId: 4 }, since, budget());
  expect(await read()).toEqual([1]);

  entries.push(entryOf(2, now - 15_000), entryOf(3, now - 1_800_000));
  expect(await read()).toEqual([2, 1]);
  vi.setSystemTime(now + 60_000);
  expect(await read()).toEqual([3, 2, 1]);
  vi.useRealTimers();
});

test('if more leads have changed than a page reads, they are known once a page has read the last', async () => {
  const since = Date.now() - 3_600_000;
  const entries = Array.from({ length: 2 * entriesPerPage }, (_, index) =>
    entryOf(index + 1, since + 10 * index),
  );
  const { table, queries } = indexOf(entries);
  const read = () => readChangedIds({ table, organizationId: 2 }, since, budget());

  expect([await read(), queries()]).toEqual([undefined, 1]);
  expect([await read(), queries()]).toEqual([undefined, 2]);
  const all = await read();
  expect(all).toHaveLength(2 * entriesPerPage);
  expect(all?.slice(0, 2)).toEqual([2 * entriesPerPage, 2 * entriesPerPage - 1]);
  expect(queries()).toBe(3);

  entries.push(entryOf(2 * entriesPerPage + 1, Date.now()));
  expect(await read()).toHaveLength(2 * entriesPerPage + 1);
  expect(queries()).toBe(4);
});

test('leads are not looked up by ID if more have changed than a function remembers', async () => {
  const since = Date.now() - 3_600_000;
  const entries = Array.from({ length: changedLeadsMax + 1 }, (_, index) =>
    entryOf(index + 1, since + index),
  );
  const { table, queries } = indexOf(entries);
  for (let page = 0; page < 20; page += 1)
    expect(await readChangedIds({ table, organizationId: 3 }, since, budget())).toBeUndefined();

  expect(queries()).toBeLessThanOrEqual(12);
});
