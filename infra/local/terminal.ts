import { resolve } from 'node:path';
import { Writable } from 'node:stream';
import { endpoints } from '../../shared/endpoints.ts';
import { isPlainObject, parseJson } from '../../shared/json.ts';
import { inMemory } from './engine.ts';
import { defaultDataFolder } from './running-service.ts';
import type { Service } from './service.ts';

/** Printed when the service is ready: the address, the keys, commands to paste, where the data is, and how to stop. */
export function banner(service: Service, db: string): string {
  const data = db === inMemory ? 'in memory until the service stops' : `in ${resolve(db)}`;
  return [
    '',
    `  Lead management service: ${service.baseUrl}`,
    '',
    ...service.organizations.flatMap(({ id, keys }) => [
      `  Organization ${id}`,
      ...keyLines(keys),
      '',
    ]),
    '  Capture a lead:',
    '',
    ...captureLines(service),
    '',
    ...(db === defaultDataFolder
      ? ['  To read the API reference and send requests from it: npm run docs', '']
      : []),
    '  To manage organizations and keys, run in another terminal:',
    '',
    ...adminLines(service, db),
    '',
    `  Data (${service.engine.name}) is kept ${data}.`,
    '  Press Ctrl-C to stop.',
    '',
    '',
  ].join('\n');
}

function keyLines(keys: Readonly<Record<string, string>>): string[] {
  const created = Object.entries(keys);
  if (created.length === 0) {
    return [
      '    API keys are shown only when they are created. Create another one with key create, below.',
    ];
  }
  const width = Math.max(...created.map(([label]) => label.length));
  return [
    '    API keys (not shown again):',
    ...created.map(([label, key]) => `      ${label.padEnd(width)}  ${key}`),
  ];
}

/** Two commands to paste, and the environment that they need: they find the service on the default data folder by themselves. */
function adminLines({ engine, organizations }: Service, db: string): string[] {
  const { id = 1, activeUserId } = organizations[0] ?? {};
  const create =
    activeUserId === undefined
      ? '--help'
      : `--organization ${id} --type website-form --label my-form --created-by ${activeUserId}`;
  const variables = db === defaultDataFolder ? [] : Object.entries(engine.environment);
  return [
    ...variables.map(([name, value]) => `    export ${name}=${value}`),
    `    npm run --silent admin -- organization show ${id}`,
    `    npm run --silent admin -- key create ${create}`,
  ];
}

/** The same command again is a replay; without its Idempotency-Key it is a second enquiry of the same person. */
function captureLines({ baseUrl, organizations }: Service): string[] {
  const keys = organizations.flatMap(({ keys }) => Object.entries(keys));
  const [, apiKey = '$API_KEY'] =
    keys.find(([label]) => label === 'website') ?? keys.find(([label]) => label !== 'reader') ?? [];
  const body = {
    name: 'Rohan Kulkarni',
    phone: '+91 98220 12345',
    email: 'rohan@example.com',
    notes: 'Please call after six.',
  };
  return [
    `    curl -i ${baseUrl}/api/v1/leads/capture \\`,
    `      -H "Authorization: Bearer ${apiKey}" \\`,
    "      -H 'Content-Type: application/json' \\",
    "      -H 'Idempotency-Key: my-first-enquiry' \\",
    `      -d '${JSON.stringify(body)}'`,
  ];
}

/**
 * Turns the functions' log lines into a short line a request, for a terminal: `POST capture 422 phone, intake 6 ms  <request ID>`. Every
 * other line, such as an error with its stack, stays as it is.
 */
export function requestLines(output: NodeJS.WritableStream): Writable {
  let rest = '';
  return new Writable({
    decodeStrings: false,
    write(chunk: Buffer | string, _encoding, done) {
      const lines = (rest + chunk.toString()).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) output.write(`${shortened(line) ?? line}\n`);
      done();
    },
  });
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
