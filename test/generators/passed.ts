import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentDigest } from './document-digest.ts';

/** The last run of `npm run generators` in which everything passed. It is committed. */
export interface PassedRun {
  readonly documentDigest: string;
  /** What each package did, by its name and version. */
  readonly passed: Readonly<Record<string, string>>;
}

const file = join(import.meta.dirname, 'passed.json');

export const readPassedRun = (): PassedRun => JSON.parse(readFileSync(file, 'utf8')) as PassedRun;

export function writePassedRun(passed: PassedRun['passed']): void {
  const run: PassedRun = { documentDigest: documentDigest(), passed };
  writeFileSync(file, `${JSON.stringify(run, null, 2)}\n`);
}
