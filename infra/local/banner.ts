import { resolve } from 'node:path';
import { inMemory } from './engine.ts';
import type { Service } from './service.ts';

/** What a person sees when the service is ready: the address, keys, a line to paste, where the data lies, how to stop. */
export function banner(service: Service, db: string): string {
  const data = db === inMemory ? 'in memory, and gone when the service stops' : `in ${resolve(db)}`;
  return [
    '',
    `  Lead management service: ${service.baseUrl}`,
    '',
    ...service.organizations.flatMap(({ id, keys }) => [`  Organization ${id}`, ...keyLines(keys), '']),
    '  Capture a lead:',
    '',
    ...captureLines(service),
    '',
    '  Administer it from another terminal:',
    '',
    ...administerLines(service),
    '',
    `  Its data (${service.engineName}) is kept ${data}.`,
    '  Ctrl-C stops it.',
    '',
    '',
  ].join('\n');
}

function keyLines(keys: Readonly<Record<string, string>>): string[] {
  const minted = Object.entries(keys);
  if (minted.length === 0) {
    return ['    Its keys were shown when they were made; a new one is made from the terminal, as below.'];
  }
  const width = Math.max(...minted.map(([label]) => label.length));
  return ['    API keys, shown this once:', ...minted.map(([label, key]) => `      ${label.padEnd(width)}  ${key}`)];
}

/** The environment of the admin command, and two commands that work as they stand. */
function administerLines({ environment, organizations }: Service): string[] {
  const { id = 1, activeUserId } = organizations[0] ?? {};
  const create =
    activeUserId === undefined
      ? '--help'
      : `--organization ${id} --type website-form --label my-form --created-by ${activeUserId}`;
  return [
    ...Object.entries(environment).map(([name, value]) => `    export ${name}=${value}`),
    `    npm run --silent admin -- organization show ${id}`,
    `    npm run --silent admin -- key create ${create}`,
  ];
}

/** The same line again is a replay; without its Idempotency-Key it is a second enquiry of the same person. */
function captureLines({ baseUrl, organizations }: Service): string[] {
  const keys = organizations.flatMap(({ keys }) => Object.entries(keys));
  const [, apiKey = '$API_KEY'] = keys.find(([label]) => label === 'website') ?? keys.find(([label]) => label !== 'reader') ?? [];
  const body = { name: 'Rohan Kulkarni', phone: '+91 98220 12345', email: 'rohan@example.com', notes: 'Please call after six.' };
  return [
    `    curl -i ${baseUrl}/api/v1/leads/capture \\`,
    `      -H "Authorization: Bearer ${apiKey}" \\`,
    "      -H 'Content-Type: application/json' \\",
    "      -H 'Idempotency-Key: my-first-enquiry' \\",
    `      -d '${JSON.stringify(body)}'`,
  ];
}
