import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { buildFunctions, releaseCheckName } from '../../../infra/bundle/bundle.ts';
import { Functions } from '../../../infra/local/functions.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { service } from '../../support/service.ts';
import { node24 } from '../../support/service-process.ts';
import { environmentOf } from '../../support/table.ts';

/**
 * The built release check calls the built functions, on the table of the test run. Only the two addresses are local: Lambda's Invoke runs the
 * function in a worker, and CodeDeploy's report is kept.
 */
let distFolder: string;
let aws: Server;
let functions: Functions;
const reports: Record<string, unknown>[] = [];

beforeAll(async () => {
  distFolder = await buildFunctions();
  aws = createServer(async (request, response) => {
    const chunks = await request.toArray();
    const body = JSON.parse(Buffer.concat(chunks).toString());
    const name = /function%3A([a-z-]+)%3A1\/invocations/.exec(request.url ?? '')?.[1];
    if (name === undefined) {
      reports.push(body);
      response.end(
        JSON.stringify({ lifecycleEventHookExecutionId: body.lifecycleEventHookExecutionId }),
      );
      return;
    }
    const result = await functions.invoke(name, body, body.requestContext.requestId);
    if (result.outcome === 'returned') response.end(JSON.stringify(result.response));
    else {
      response.setHeader('X-Amz-Function-Error', 'Unhandled');
      response.end('{"errorMessage":"crashed"}');
    }
  }).listen(0, '127.0.0.1');
  await once(aws, 'listening');
});
afterAll(() => aws.close());

const versions = Object.fromEntries(
  endpoints.map(({ name }) => [name, `arn:aws:lambda:ap-south-1:123456789012:function:${name}:1`]),
);

/** Runs the hook in a process of its own, as Lambda does. @returns what it logged */
async function runHook(environment: Readonly<Record<string, string>>): Promise<string> {
  functions = new Functions({
    distFolder,
    environment: { ...environment },
    report: () => undefined,
    output: process.stderr,
  });
  const address = `http://127.0.0.1:${(aws.address() as AddressInfo).port}`;
  const event = { DeploymentId: 'd-1', LifecycleEventHookExecutionId: 'h-1' };
  const file = join(distFolder, releaseCheckName, 'index.mjs');
  const script = `await (await import(${JSON.stringify(file)})).handler(${JSON.stringify(event)});`;
  const child = spawn(node24, ['--input-type=module', '--eval', script], {
    env: {
      AWS_REGION: 'ap-south-1',
      AWS_ACCESS_KEY_ID: 'id',
      AWS_SECRET_ACCESS_KEY: 'secret',
      AWS_ENDPOINT_URL_LAMBDA: address,
      AWS_ENDPOINT_URL_CODEDEPLOY: address,
      RELEASED_VERSIONS: JSON.stringify(versions),
    },
  });
  let logged = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      logged += chunk.toString();
    });
  const [status] = await once(child, 'close');
  await functions.stop();
  if (status !== 0) throw new Error(logged);
  return logged;
}

test('a release goes on when each new version answers an unknown key with 401', async () => {
  const logged = await runHook(service().environment);

  expect(reports.splice(0)).toEqual([
    { deploymentId: 'd-1', lifecycleEventHookExecutionId: 'h-1', status: 'Succeeded' },
  ]);
  expect(logged).toBe('{"deploymentId":"d-1","status":"Succeeded"}\n');
});

test('a release ends when the new versions do not find their table, and the log names each', async () => {
  const logged = await runHook(environmentOf('no-such-table'));

  expect(reports.splice(0)).toMatchObject([{ status: 'Failed' }]);
  for (const { name } of endpoints)
    expect(logged).toContain(`:${name}:1 (${name}) answered 500 INTERNAL to an unknown API key`);
});
