import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type LeadQuery, listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { generatedTable, unfilteredQuery } from './generated-table.ts';

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

const leads = 1_000_000;

/** A page of a filter that no lead matches, as DynamoDB answers each call after 25 ms. */
const query = (organizationId: number, cursor: number | undefined): LeadQuery => ({
  ...unfilteredQuery,
  organizationId,
  cursor,
  matches: () => false,
});

/** Walks pages without a pause between them. @returns when each read was made and what it cost, and when each page began */
async function walk(
  { table, units }: ReturnType<typeof generatedTable>,
  { organizationId, callMs, pages }: Record<'organizationId' | 'callMs' | 'pages', number>,
) {
  const reads: { at: number; units: number }[] = [];
  const pagesAt: number[] = [];
  const { send } = table.client;
  table.client.send = (command: never) => {
    const before = units();
    const result = send(command);
    reads.push({ at: Date.now(), units: units() - before });
    return result;
  };
  let cursor: number | undefined;
  for (let page = 0; page < pages; page += 1) {
    const begun = Date.now();
    pagesAt.push(begun);
    vi.setSystemTime(begun + callMs);
    const { nextCursor } = await listLeads(table, query(organizationId, cursor));
    expect(nextCursor).toBeLessThan(cursor ?? leads);
    cursor = nextCursor ?? undefined;
    expect(Date.now() - begun).toBeLessThanOrEqual(1000 + callMs);
  }
  return { reads, pagesAt, examined: leads - (cursor ?? 0) };
}

/** The most of something in any second. */
function mostInASecond(events: readonly { readonly at: number; readonly units: number }[]): number {
  const inSecondFrom = (from: number): number =>
    events.filter(({ at }) => at >= from && at < from + 1000).reduce((sum, e) => sum + e.units, 0);
  return Math.max(...events.map(({ at }) => inSecondFrom(at)));
}

test.each([0, 25])(
  'four walks with a rare filter read less than 3,000 units of their partition in any second, at %i ms a call',
  async (callMs) => {
    const table = generatedTable(callMs, leads);
    const { reads, examined } = await walk(table, { organizationId: callMs, callMs, pages: 20 });

    expect(4 * mostInASecond(reads)).toBeLessThan(3000);
    // The pace costs a page little of what it may read.
    expect(examined / 20).toBeGreaterThan(2500);
  },
);

/** Every 4,000 leads, 100 of 100 KB among leads of 800 bytes. */
const unevenBytes = (id: number): number => (id % 4000 < 100 ? 100_000 : 800);

test('pages that wait for a read that took too much follow each other in a second, not at once', async () => {
  const table = generatedTable(3, leads, { bytesOf: unevenBytes });
  const { reads, pagesAt, examined } = await walk(table, {
    organizationId: 3,
    callMs: 25,
    pages: 60,
  });

  expect(mostInASecond(pagesAt.map((at) => ({ at, units: 1 })))).toBeLessThanOrEqual(2);
  expect(mostInASecond(reads)).toBeLessThan(1700);
  expect(examined / 60).toBeGreaterThan(600);
});

test('a page whose filter many leads match does not wait', async () => {
  const { table } = generatedTable(9, leads);
  const begun = Date.now();

  const { leads: found } = await listLeads(table, {
    ...query(9, undefined),
    matches: ({ id }) => id % 15 === 0,
  });

  expect(found).toHaveLength(25);
  expect(Date.now() - begun).toBe(0);
});
