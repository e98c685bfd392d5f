import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EndpointName } from '../../shared/endpoints.ts';
import type { Json } from './json-schema.ts';

/** Code samples of the document: functions of the recipes in test/examples/, which tests run through faults. */

interface Sample {
  readonly lang: string;
  readonly label?: string;
  /** In test/examples/. */
  readonly file: string;
  /** The first line of the function. Its last line is the first one after that which `end` matches. */
  readonly start: string;
  /** @default a closing brace at the start of a line */
  readonly end?: RegExp;
}

const samples: Readonly<Partial<Record<EndpointName, readonly Sample[]>>> = {
  'capture-lead': [
    { lang: 'Shell', label: 'curl', file: 'curl/send.sh', start: 'send() {' },
    { lang: 'PHP', file: 'php/enquiry.php', start: 'function capture(' },
    {
      lang: 'Python',
      file: 'python/enquiry.py',
      start: 'def capture(',
      end: /^ {8}return 0, \{\}/,
    },
    { lang: 'TypeScript', file: 'form-backend.ts', start: 'async function send(' },
  ],
  'list-leads': [{ lang: 'TypeScript', file: 'sync-job.ts', start: 'async function readPage(' }],
};

const examplesFolder = join(import.meta.dirname, '..', '..', 'test', 'examples');

/** The `x-codeSamples` of an operation; empty for one without recipes. @throws Error for a function that its file does not have */
export function codeSamplesOf(name: EndpointName): Json {
  const own = samples[name]?.map((sample) => ({
    lang: sample.lang,
    label: sample.label ?? sample.lang,
    source: sourceOf(sample),
  }));
  return own ? { 'x-codeSamples': own } : {};
}

function sourceOf({ file, start, end = /^\}/ }: Sample): string {
  const lines = readFileSync(join(examplesFolder, file), 'utf8').split('\n');
  const first = lines.findIndex((line) => line.startsWith(start));
  const last = lines.findIndex((line, index) => index > first && end.test(line));
  if (first === -1 || last === -1)
    throw new Error(`test/examples/${file} has no function that begins with ${start}`);
  return lines.slice(first, last + 1).join('\n');
}
