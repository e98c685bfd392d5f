import { resolve } from 'node:path';
import { inMemory } from './engine.ts';
import type { Service } from './service.ts';

/** What a person sees when the service is ready: the address, keys, a line to paste, where the data lies, how to stop. */
export function banner(service: Service, db: string): string {
  const data = db === inMemory ? 'in memory: it is gone when the service stops' : `in ${resolve(db)}`;
  return [
    '',
    `  Lead management service: ${service.baseUrl}`,
    '',
    ...service.organizations.flatMap(({ id, keys }) => [`  Organization ${id}`, ...keyLines(id, keys, service), '']),
    '  Capture a lead:',
    '',
    ...captureLines(service),
    '',
    `  Data (${service.engineName}) lies ${data}.`,
    '  Ctrl-C stops it.',
    '',
    '',
  ].join('\n');
}

function keyLines(organizationId: number, keys: Readonly<Record<string, string>>, service: Service): string[] {
  const minted = Object.entries(keys);
  if (minted.length === 0) {
    return ['    Its keys were shown when they were made. A new one:', '', ...mintLines(organizationId, service)];
  }
  const width = Math.max(...minted.map(([label]) => label.length));
  return ['    API keys, shown this once:', ...minted.map(([label, key]) => `      ${label.padEnd(width)}  ${key}`)];
}

function mintLines(organizationId: number, { environment }: Service): string[] {
  const variables = Object.entries(environment).map(([name, value]) => `      ${name}=${value} \\`);
  const order = `--organization ${organizationId} --type website-form --label my-form --created-by USER_ID`;
  return [...variables, `      npm run --silent admin -- key create ${order}`];
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
