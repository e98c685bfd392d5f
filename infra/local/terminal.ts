import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { PassThrough } from 'node:stream';
import { isPlainObject, parseJson } from '../../shared/base/json.ts';
import { endpoints } from '../../shared/contract/endpoints.ts';
import { inMemory } from './engine.ts';
import type { ServedOrganization } from './prepare-table.ts';
import { defaultDataFolder } from './running-service.ts';
import type { Service } from './service.ts';

/** The text that is printed when the service is ready: its address, the keys, commands to paste, where the data is, and how to stop. */
export function banner({ baseUrl, engine, organizations }: Service, db: string): string {
  const isDefaultFolder = db === defaultDataFolder;
  // Commands find a service on the default data folder without variables.
  const variables = isDefaultFolder ? [] : Object.entries(engine.environment);
  const { id = 1, activeUserId } = organizations[0] ?? {};
  const keyOptions =
    activeUserId === undefined
      ? '--help'
      : `--organization ${id} --type website-form --label my-form --created-by ${activeUserId}`;
  // Sending the same capture again is a replay. Without the Idempotency-Key, it is a second enquiry by the same person.
  return `
  Lead management service: ${baseUrl}

${organizations.map(({ id, keys }) => `  Organization ${id}\n${keyLines(keys)}\n\n`).join('')}\
  Capture a lead:

    curl -i ${baseUrl}/api/v1/leads/capture \\
      -H "Authorization: Bearer ${captureKey(organizations)}" \\
      -H 'Content-Type: application/json' \\
      -H 'Idempotency-Key: my-first-enquiry' \\
      -d '${JSON.stringify(enquiry)}'

${isDefaultFolder ? '  To read the API reference and send requests from it: npm run docs\n\n' : ''}\
  To manage organizations and keys, run in another terminal:

${variables.map(([name, value]) => `    export ${name}=${value}\n`).join('')}\
    npm run --silent admin -- organization show ${id}
    npm run --silent admin -- key create ${keyOptions}

  The same in the browser, and leads: npm run admin -- open

  Data (${engine.name}) is kept ${db === inMemory ? 'in memory until the service stops' : `in ${resolve(db)}`}.
  Press Ctrl-C to stop.

`;
}

const enquiry = {
  name: 'Rohan Kulkarni',
  phone: '+91 98220 12345',
  email: 'rohan@example.com',
  notes: 'Please call after six.',
};

function keyLines(keys: ServedOrganization['keys']): string {
  const created = Object.entries(keys);
  if (created.length === 0)
    return '    API keys are shown only when they are created. Create another one with key create, below.';
  const width = Math.max(...created.map(([label]) => label.length));
  const lines = created.map(([label, key]) => `      ${label.padEnd(width)}  ${key}`);
  return ['    API keys (not shown again):', ...lines].join('\n');
}

/** An API key with a scope that allows captures. */
function captureKey(organizations: readonly ServedOrganization[]): string {
  const keys = organizations.flatMap(({ keys }) => Object.entries(keys));
  const [, apiKey = '$API_KEY'] =
    keys.find(([label]) => label === 'website') ?? keys.find(([label]) => label !== 'reader') ?? [];
  return apiKey;
}

/**
 * Shortens the functions' log lines to one line per request, for a terminal: `POST capture 422 phone, intake 6 ms  <request ID>`. Every
 * other line, such as an error with its stack, stays as it is.
 */
export function requestLines(output: NodeJS.WritableStream): NodeJS.WritableStream {
  const lines = new PassThrough();
  createInterface(lines).on('line', (line) => output.write(`${shortened(line) ?? line}\n`));
  return lines;
}

/** The short line of a request; undefined for any other line. */
function shortened(line: string): string | undefined {
  const entry = parseJson(line);
  if (!isPlainObject(entry) || entry.message !== 'answered') return undefined;
  const endpoint = endpoints.find(({ name }) => name === entry.endpoint);
  if (!endpoint) return undefined;
  const path = endpoint.path.replace('/api/v1/', '').replace('leads/capture', 'capture');
  const { status, code, ms, fields, requestId } = entry;
  const names = Array.isArray(fields) ? fields.join(', ') : '';
  const why = names || (code ? String(code) : '');
  return `${endpoint.method} ${path} ${status}${why && ` ${why}`} ${ms} ms  ${requestId}`;
}
