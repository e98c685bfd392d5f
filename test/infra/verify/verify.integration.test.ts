import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { Checks } from '../../../infra/verify/check.ts';
import { contractTests } from '../../../infra/verify/contract-tests.ts';
import type { TableVariables } from '../../../infra/verify/target.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import { startOwnService } from '../../support/own-service.ts';
import { service } from '../../support/service.ts';
import { node24, projectFolder } from '../../support/service-process.ts';
import { environmentOf, givenTable, table } from '../../support/table.ts';
import { failedLines, verify } from './verify-run.ts';

/** Other test files run verify on the same table. */
const isLeft = async (organizationId: number): Promise<boolean> =>
  (await listOrganizations(table())).some(({ id }) => id === organizationId);

test('verify checks an address without credentials, a line per check, and the last line counts them', async () => {
  const reply = await verify(['--url', service().baseUrl]);

  expect(failedLines(reply)).toEqual([]);
  expect(reply).toMatchObject({ status: 0, stderr: '' });
  const last = reply.lines.at(-1);
  expect(last).toBe(`${reply.lines.length - 1} passed, 0 failed`);
  for (const { method, path } of endpoints)
    expect(
      reply.lines.filter((line) =>
        line.startsWith(`✓ ${method} ${path} with an unknown key: 401 UNAUTHORIZED`),
      ),
    ).toHaveLength(1);
  const text = reply.lines.join('\n');
  for (const came of [
    '404 NOT_FOUND',
    'A body that is not UTF-8: 400 INVALID_JSON',
    'more than API Gateway accepts: 413 PAYLOAD_TOO_LARGE',
    'A request over plain HTTP: 403 HTTPS_REQUIRED',
    '400 KEY_IN_URL',
  ])
    expect(text).toContain(came);
});

test('verify --write writes what the contract can write, and leaves nothing behind', async () => {
  const own = await givenTable();
  const environment = environmentOf(own.name);
  const running = await startOwnService(environment);
  const { baseUrl } = running;

  const { status, lines, stderr } = await verify(
    ['--url', baseUrl, '--write', '--json'],
    environment,
  );

  const { Items } = await own.client.send(new ScanCommand({ TableName: own.name }));
  await running.stop();
  own.client.destroy();
  expect(Items).toEqual([]);
  expect(lines).toHaveLength(1);
  expect(stderr).toBe('');
  const document = JSON.parse(lines[0] ?? '');
  expect(document.checks.filter(({ passed }: { passed: boolean }) => !passed)).toEqual([]);
  expect(status).toBe(0);
  expect(document).toEqual({
    url: baseUrl,
    passed: document.checks.length,
    failed: 0,
    checks: expect.toSatisfy((checks: object[]) => checks.length > 55),
    temporaryOrganization: { id: expect.any(Number), removed: true },
  });
  const names = document.checks.map(({ check }: { check: string }) => check).join('\n');
  for (const name of ['source_id', '10 parallel captures', 'replays', 'revoked'])
    expect(names).toContain(name);
});

test('verify finds the address, the table and the release of a stack by its outputs, and says the release first', async () => {
  const { baseUrl, environment } = service();
  const outputs = {
    BaseUrl: baseUrl,
    TableName: environment.LEADS_TABLE,
    Release: 'v1.1.0',
    Version: '1.1.0+4f2a91c03b7d',
  };
  const members = Object.entries(outputs).map(
    ([key, value]) =>
      `<member><OutputKey>${key}</OutputKey><OutputValue>${value}</OutputValue></member>`,
  );
  const cloudFormation = createServer((_, response) =>
    response.end(
      `<DescribeStacksResponse><DescribeStacksResult><Stacks><member><StackName>leads</StackName><Outputs>${members.join('')}</Outputs></member></Stacks></DescribeStacksResult></DescribeStacksResponse>`,
    ),
  ).listen(0, '127.0.0.1');
  await once(cloudFormation, 'listening');
  const { port } = cloudFormation.address() as AddressInfo;
  table(); // sets the AWS variables of this process
  process.env.AWS_ENDPOINT_URL_CLOUDFORMATION = `http://127.0.0.1:${port}`;

  const reply = await verify(['--stack', 'leads'], environment);

  delete process.env.AWS_ENDPOINT_URL_CLOUDFORMATION;
  cloudFormation.close();
  expect(failedLines(reply)).toEqual([]);
  expect(reply.status).toBe(0);
  expect(reply.lines[0]).toBe('Stack leads runs v1.1.0, version 1.1.0+4f2a91c03b7d.');
  expect(reply.lines).toContain(`✓ Table ${environment.LEADS_TABLE}: ACTIVE, with 4 indexes`);
  expect(reply.stderr).toMatch(/^Warning: AWS_ENDPOINT_URL_DYNAMODB is set/);
});

/** Runs verify --write and sends it a signal twice, as a terminal and npm do, after the first contract test. Waits for every process of the run. */
async function endedBy(signal: NodeJS.Signals) {
  const { baseUrl, environment } = service();
  const aTest = /^✓ \d\S* .* > /m;
  const child = spawn(node24, ['infra/verify/main.ts', '--url', baseUrl, '--write'], {
    cwd: projectFolder,
    env: { PATH: process.env.PATH, ...environment },
  });
  const printed = { stdout: '', stderr: '' };
  child.stderr.on('data', (chunk: Buffer) => {
    printed.stderr += chunk.toString();
  });
  child.stdout.on('data', (chunk: Buffer) => {
    const hasBegun = aTest.test(printed.stdout);
    printed.stdout += chunk.toString();
    if (!hasBegun && aTest.test(printed.stdout))
      for (let times = 0; times < 2; times += 1) child.kill(signal);
  });
  const [status] = await once(child, 'close');
  const [, id] = /organization (\d+) in table/.exec(printed.stdout) ?? [];
  return { status, ...printed, organizationId: Number(id) };
}

test('after Ctrl-C, verify removes what it wrote and exits with status 130', async () => {
  const { status, stdout, stderr, organizationId } = await endedBy('SIGINT');

  expect(status).toBe(130);
  expect(stderr.match(/^Interrupted: .*$/gm)).toEqual([
    'Interrupted: finishing the current check and removing what was written.',
  ]);
  expect(stdout).toMatch(/\d+ passed, 0 failed\n$/);
  expect(await isLeft(organizationId)).toBe(false);
});

test('after verify was killed, its contract tests end and remove what they wrote', async () => {
  const { status, stdout, organizationId } = await endedBy('SIGKILL');

  expect(status).toBeNull();
  expect(stdout).not.toContain(' failed\n');
  expect(organizationId).toBeGreaterThan(0);
  expect(await isLeft(organizationId)).toBe(false);
});

test('contract tests that are killed after their first file are a failed check', async () => {
  const { baseUrl, environment } = service();
  const interrupted = new AbortController().signal;
  const checks = new Checks(() => undefined, interrupted);
  const variables = environment as TableVariables;
  const options = {
    checks,
    baseUrl,
    table: table(),
    variables,
    interrupted,
    note: () => undefined,
  };
  const kill = `const { argv, pid, kill, send } = process;
    if (argv[1].endsWith('vitest.mjs'))
      process.send = (file) => send.call(process, file, () => kill(pid, 'SIGKILL'));`;
  const preload = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(kill)}` };

  for await (const { tests } of contractTests(options, ['9-versioning'], preload))
    expect(tests.filter(({ error }) => error)).toEqual([]);

  expect(checks.results).toMatchObject([
    { passed: false, came: 'the tests broke off after 1 file (SIGKILL)' },
  ]);
});
