import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { openApiFile } from '../../infra/openapi/document.ts';

/** What people read. Generators copy it into comments, and a validating proxy does not look at it. */
const prose = new Set(['description', 'summary', 'example', 'examples', 'x-codeSamples']);

/** A digest of what openapi.json says to programs: a sentence may change without a new run of the generators. */
export function documentDigest(): string {
  const text = JSON.stringify(JSON.parse(readFileSync(openApiFile, 'utf8')), (name, value) =>
    prose.has(name) ? undefined : value,
  );
  return createHash('sha256').update(text).digest('hex');
}
