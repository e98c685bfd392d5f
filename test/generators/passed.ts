import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openApiFile } from '../../infra/openapi/document.ts';

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

/** What people read. Generators copy it into comments. */
const prose = new Set(['description', 'summary', 'example', 'examples', 'x-codeSamples']);

/** A digest of what openapi.json says to programs: a sentence may change without a new run of the generators. */
export function documentDigest(): string {
  const text = JSON.stringify(JSON.parse(readFileSync(openApiFile, 'utf8')), (name, value) =>
    prose.has(name) ? undefined : value,
  );
  return createHash('sha256').update(text).digest('hex');
}
