import { writeFileSync } from 'node:fs';
import { expect } from 'vitest';
import { type RequestCount, recordedRequest } from '../../functions/counts.ts';
import { longestChain, type RecordedCall, totalUnits } from './calls.ts';

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

const sitesOf = (calls: readonly RecordedCall[]): string =>
  calls.map(({ site, index }) => (index ? `${site} (${index})` : site)).join(', ');

/** Expects the calls of a request to cost what `test/functions/counts.json` records under its name, and no more. */
export function expectRecorded(name: string, calls: readonly RecordedCall[]): void {
  const sites = sitesOf(calls);
  expect(
    calls.map(({ status }) => status),
    sites,
  ).toEqual(calls.map(() => 200));
  const units = totalUnits(calls);
  const measured: RequestCount = {
    roundTrips: longestChain(calls),
    calls: calls.length,
    writes: documentedWrites(calls),
    indexEntries: units.indexWrites,
    reads: units.reads,
  };
  if (process.env.RECORD_COUNTS) {
    record(process.env.RECORD_COUNTS, name, measured);
    return;
  }
  const { indexEntries, reads, ...exact } = recordedRequest(name);
  expect(measured, sites).toMatchObject(exact);
  expect(units.tableWrites, 'write units of the table, as the engine counts').toBeLessThanOrEqual(
    exact.writes,
  );
  expect(units.indexWrites, 'write units of the indexes').toBeGreaterThanOrEqual(indexEntries);
  expect(units.indexWrites, 'write units of the indexes').toBeLessThanOrEqual(2 * indexEntries);
  expect(units.reads, 'read units').toBeLessThanOrEqual(reads);
}

const measuredRequests: Record<string, RequestCount> = {};

function record(file: string, name: string, count: RequestCount): void {
  measuredRequests[name] = count;
  writeFileSync(file, JSON.stringify(measuredRequests));
}
