import { expect } from 'vitest';
import { longestChain, type RecordedCall, totalUnits } from './calls.ts';

/** What the calls of a request may cost. */
export interface Budget {
  readonly roundTrips: number;
  readonly calls: number;
  /** Of the table alone. */
  readonly writes: number;
  /** Entries of indexes that are written or removed. */
  readonly indexEntries: number;
  readonly reads: number;
}

/** Two units for each item of a transaction, one for each other write. */
function documentedWrites(calls: readonly RecordedCall[]): number {
  const perCall = { TransactWriteItems: 2, UpdateItem: 1, PutItem: 1, DeleteItem: 1 } as Readonly<
    Record<string, number>
  >;
  return calls.reduce(
    (units, { operation, items }) => units + (perCall[operation] ?? 0) * items.length,
    0,
  );
}

export function expectWithin(
  calls: readonly RecordedCall[],
  { roundTrips, calls: count, writes, indexEntries, reads }: Budget,
): void {
  const units = totalUnits(calls);
  const sites = calls.map(({ site, index }) => (index ? `${site} (${index})` : site));
  expect(
    calls.map(({ status }) => status),
    sites.join(', '),
  ).toEqual(calls.map(() => 200));
  expect({ roundTrips: longestChain(calls), calls: calls.length }, sites.join(', ')).toEqual({
    roundTrips,
    calls: count,
  });
  expect(documentedWrites(calls), 'write units of the table, as documented').toBe(writes);
  expect(units.tableWrites, 'write units of the table, as the engine counts').toBeLessThanOrEqual(
    writes,
  );
  expect(units.indexWrites, 'write units of the indexes').toBeGreaterThanOrEqual(indexEntries);
  expect(units.indexWrites, 'write units of the indexes').toBeLessThanOrEqual(2 * indexEntries);
  expect(units.reads, 'read units').toBeLessThanOrEqual(reads);
}
