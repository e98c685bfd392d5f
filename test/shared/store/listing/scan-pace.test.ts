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

test.each([0, 25])(
  'four walks with a rare filter read less than 3,000 units of their partition in any second, at %i ms a call',
  async (callMs) => {
    const { table, units } = generatedTable(callMs, leads);
    const reads: { at: number; units: number }[] = [];
    const { send } = table.client;
    table.client.send = (command: never) => {
      const before = units();
      const result = send(command);
      reads.push({ at: Date.now(), units: units() - before });
      return result;
    };
    let cursor: number | undefined;
    for (let page = 0; page < 20; page += 1) {
      const begun = Date.now();
      vi.setSystemTime(begun + callMs);
      const { nextCursor } = await listLeads(table, query(callMs, cursor));
      expect(nextCursor).toBeLessThan(cursor ?? leads);
      cursor = nextCursor ?? undefined;
      expect(Date.now() - begun).toBeLessThanOrEqual(1000 + callMs);
    }

    const inSecondFrom = (from: number): number =>
      reads.filter(({ at }) => at >= from && at < from + 1000).reduce((sum, r) => sum + r.units, 0);
    expect(4 * Math.max(...reads.map(({ at }) => inSecondFrom(at)))).toBeLessThan(3000);
    // The pace costs a page little of what it may read.
    expect((leads - (cursor ?? 0)) / 20).toBeGreaterThan(2500);
  },
);

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
