import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localBaseUrl } from '../../../infra/openapi/introduction.ts';
import { endpointNamed, endpoints } from '../../../shared/contract/endpoints.ts';
import { call } from '../../support/call.ts';
import { type Json, operationOf } from '../../support/described.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { service } from '../../support/service.ts';
import { projectFolder, runProgram } from '../../support/service-process.ts';

const demoFile = join(projectFolder, 'infra/local/demo-organization.json');

test('every command of the API description runs when pasted, and a list accepts every example', async () => {
  const { key: newKey } = await givenOrganization(JSON.parse(await readFile(demoFile, 'utf8')));
  const { key } = await newKey();
  const capturesFirst = endpoints.toSorted(
    (a, b) => Number(b.name === 'capture-lead') - Number(a.name === 'capture-lead'),
  );
  const statuses: string[] = [];
  for (const endpoint of capturesFirst) {
    const { description }: Json = { ...operationOf(endpoint) };
    const [, command = 'false'] = /```sh\n(.*)\n```/s.exec(String(description)) ?? [];
    const pasted = command.replace(localBaseUrl, service().baseUrl);
    const env = { ...process.env, API_KEY: key };
    const { stdout } = await runProgram('sh', ['-c', pasted], { env });
    statuses.push(`${endpoint.name} ${stdout.split(' ')[1]}`);
  }

  const { parameters = [] } = operationOf(endpointNamed('list-leads'));
  const examples = parameters.map(({ name, example }) => [name, example]);
  const answer = await call('list-leads', { apiKey: key, query: Object.fromEntries(examples) });

  expect(answer.status).toBe(200);
  expect(statuses.map((one) => one.split(' ')[1]?.[0])).toEqual(statuses.map(() => '2'));
});
