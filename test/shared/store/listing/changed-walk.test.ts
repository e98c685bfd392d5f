import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { sinceOf, updatesOf } from '../../../bench/listing/generated-leads.ts';
import { generatedTable } from './generated-table.ts';

// A scan waits for its pace.
vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => {
    vi.setSystemTime(Date.now() + ms);
  },
}));
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const million = 1_000_000;

/** The first pages of a sync job's walk, 100 leads a page. */
async function walk(changed: number, pages: number, leads = million) {
  const { table, units } = generatedTable(changed, leads);
  const updatedSince = Date.parse(sinceOf(changed, leads));
  const found: number[] = [];
  const unitsOfPages: number[] = [];
  let cursor: number | undefined;
  for (let page = 0; page < pages; page += 1) {
    const before = units();
    const result = await listLeads(table, {
      organizationId: changed,
      limit: 100,
      cursor,
      stageIds: undefined,
      ownerId: undefined,
      sourceId: undefined,
      updatedSince,
      matches: ({ updatedAt }) => Date.parse(updatedAt) >= updatedSince,
      hasRoom: () => true,
    });
    found.push(...result.leads.map(({ id }) => id));
    unitsOfPages.push(units() - before);
    cursor = result.nextCursor ?? undefined;
  }
  return { found, unitsOfPages };
}

const changedIds = (changed: number): number[] => {
  const { idAt } = updatesOf(million);
  return Array.from({ length: changed }, (_, index) => idAt(million - 1 - index)).sort(
    (a, b) => b - a,
  );
};

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0);

test.each([5, 20])(
  'a walk over %i %% changed of 1,000,000 leads finds each in order, for at most 1.5 read units a lead',
  async (percent) => {
    const changed = percent * 10_000;

    const { found, unitsOfPages } = await walk(changed, 120);

    expect(found).toEqual(changedIds(changed).slice(0, found.length));
    expect(found.length).toBeGreaterThan(11_500);
    expect(sum(unitsOfPages) / found.length).toBeLessThanOrEqual(1.5);
  },
);

test('a walk over all of 1,000,000 leads as changed reads the leads themselves, a fifth of a unit each', async () => {
  const { found, unitsOfPages } = await walk(million, 20);

  expect(found).toEqual(Array.from({ length: 2000 }, (_, index) => million - index));
  expect(sum(unitsOfPages) / found.length).toBeLessThanOrEqual(0.25);
});

test('a walk over 900 leads that all changed reads the leads themselves, once their ids are known', async () => {
  const { found, unitsOfPages } = await walk(900, 9, 900);

  expect(found).toEqual(Array.from({ length: 900 }, (_, index) => 900 - index));
  const idUnits = 11.5;
  expect(sum(unitsOfPages)).toBeLessThanOrEqual(idUnits + 0.25 * 900);
});
