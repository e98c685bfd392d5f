import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the calls of one request cost a warm function, in DynamoDB's units. */
export interface RequestCount {
  readonly roundTrips: number;
  readonly calls: number;
  /** Write units of the table alone, as DynamoDB documents them for these calls. */
  readonly writes: number;
  /** Entries of indexes that are written or removed. */
  readonly indexEntries: number;
  readonly reads: number;
}

/** The exact counts that no change may raise unnoticed: tests compare with them, and `npm run bench -- --record` writes them. */
export interface RecordedCounts {
  readonly requests: Readonly<Record<string, RequestCount>>;
  /** Of each function's bundle, in KB, rounded up. */
  readonly bundleKb: Readonly<Record<string, number>>;
}

export const countsFile = join(import.meta.dirname, 'counts.json');

export const recordedCounts = (): RecordedCounts => JSON.parse(readFileSync(countsFile, 'utf8'));

/** @throws Error if the request was never recorded */
export function recordedRequest(name: string): RequestCount {
  const count = recordedCounts().requests[name];
  if (!count)
    throw new Error(
      `test/functions/counts.json has no request ${name}: record it with npm run bench -- --record`,
    );
  return count;
}

export const bundleKbOf = (code: Uint8Array): number => Math.ceil(code.byteLength / 1000);
