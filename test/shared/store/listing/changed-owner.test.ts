import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ownerIdOf } from '../../../../shared/leads/lead.ts';
import { listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { sinceOf, updatesOf } from '../../../bench/listing/generated-leads.ts';
import { generatedTable } from './generated-table.ts';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const noFilter = {
  organizationId: 1,
  limit: 25,
  cursor: undefined,
  stageIds: undefined,
  ownerId: undefined,
  sourceId: undefined,
  matches: () => true,
  hasRoom: () => true,
};
let organizationId = 0;

/** One page of 25 leads by change and owner. */
async function page(leads: number, changed: number, ownerId: number) {
  organizationId += 1;
  const { table, units, calls } = generatedTable(organizationId, leads);
  const updatedSince = Date.parse(sinceOf(changed, leads));
  const { leads: found, nextCursor } = await listLeads(table, {
    ...noFilter,
    organizationId,
    ownerId,
    updatedSince,
    matches: (lead) => Date.parse(lead.updatedAt) >= updatedSince && ownerIdOf(lead) === ownerId,
  });
  const { idAt } = updatesOf(leads);
  const all = Array.from({ length: changed }, (_, index) => idAt(leads - 1 - index))
    .filter((id) => (id + ownerId) % 2 === 1 && ownerId <= 8)
    .sort((a, b) => b - a);
  expect(found.map(({ id }) => id)).toEqual(all.slice(0, found.length));
  return { found: found.length, nextCursor, units: units(), calls: calls() };
}

test.each([
  { changed: 10, units: 21, calls: 2 },
  { changed: 1000, units: 110, calls: 7 },
  { changed: 10_000, units: 205, calls: 7 },
])(
  'of 1,000,000 leads, a page of the $changed changed ones of an owner takes $calls calls and at most $units read units',
  async ({ changed, units, calls }) => {
    const taken = await page(1_000_000, changed, 7);

    expect(taken.calls).toBe(calls);
    expect(taken.units).toBeLessThanOrEqual(units);
  },
);

test('a page of 10,000 changed leads of an owner takes the same calls in 10,000,000 leads as in 100,000, and at most 1.2 times the units', async () => {
  const [few, many] = [await page(100_000, 10_000, 7), await page(10_000_000, 10_000, 7)];

  expect([many.found, many.calls]).toEqual([few.found, few.calls]);
  expect(many.units).toBeLessThanOrEqual(1.2 * few.units);
});

test('a page of the changed leads of an owner who has none fetches no more than 25 of them', async () => {
  const taken = await page(1_000_000, 100, 9);

  expect([taken.found, taken.nextCursor]).toEqual([0, null]);
  expect(taken.units).toBeLessThanOrEqual(28);
});

test('a stage that is not of the requested pipeline has no changed leads, which takes no call', async () => {
  const { table, calls } = generatedTable(1, 1000);

  const found = await listLeads(table, { ...noFilter, stageIds: [], updatedSince: 0 });

  expect([found.leads, found.nextCursor, calls()]).toEqual([[], null, 0]);
});
