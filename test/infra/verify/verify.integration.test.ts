import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTemporaryOrganization, removeLeft } from '../../../infra/verify/write-checks.ts';
import { endpoints } from '../../../shared/contract/endpoints.ts';
import { removeIdempotencyRecords } from '../../../shared/store/erasure/remove-organization.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import { idempotencyPrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { startStandInAws } from '../../support/aws/stand-in-aws.ts';
import { newSettings } from '../../support/organizations.ts';
import { startOwnService } from '../../support/own-service.ts';
import { service } from '../../support/service.ts';
import { inherited, node24, startProgram } from '../../support/service-process.ts';
import { environmentOf, givenTable, table } from '../../support/table.ts';
import { verification } from '../stack/monitoring/situation.ts';
import { failedLines, verify, workersPerFunction } from './verify-run.ts';

/** Other test files run verify on the same table. */
const isLeft = async (organizationId: number): Promise<boolean> =>
  (await listOrganizations(table())).some(({ id }) => id === organizationId);

/** A service on an empty table, in this process. */
async function givenService() {
  const { name, client } = await givenTable();
  const environment = environmentOf(name);
  const own = await startOwnService(environment, workersPerFunction);
  onTestFinished(async () => {
    await own.stop();
    client.destroy();
  });
  return { ...own, name, client, environment };
}

test('verify --stack checks the address in the outputs of a stack, a line per check, without credentials', async () => {
  const { baseUrl, name, environment, logged } = await givenService();
  const aws = await startStandInAws();
  aws.outputs.set('BaseUrl', baseUrl).set('TableName', name);
  aws.outputs.set('Release', 'v1.1.0').set('Version', '1.1.0+4f2a91c03b7d');

  const reply = await verify(['--stack', 'leads'], { ...aws.environment, ...environment });

  aws.close();
  const [release, ...lines] = reply.lines;
  expect(failedLines(reply)).toEqual([]);
  expect(reply).toMatchObject({
    status: 0,
    stderr: expect.stringMatching(/^Warning: AWS_ENDPOINT_URL_DYNAMODB is set[^\n]*\n$/),
  });
  expect(release).toBe('Stack leads runs v1.1.0, version 1.1.0+4f2a91c03b7d.');
  expect(lines.slice(-2)).toEqual([
    `✓ Table ${name}: ACTIVE, with 4 indexes`,
    `${lines.length - 1} passed, 0 failed`,
  ]);
  for (const { method, path } of endpoints)
    expect(
      lines.filter((line) =>
        line.startsWith(`✓ ${method} ${path} with an unknown key: 401 UNAUTHORIZED`),
      ),
    ).toHaveLength(1);
  for (const came of [
    '404 NOT_FOUND',
    'A body that is not UTF-8: 400 INVALID_JSON',
    'A body of 7 MB, more than Lambda accepts: 413 PAYLOAD_TOO_LARGE',
    'A body of 11 MB, more than API Gateway accepts: 413\n',
    'A request over plain HTTP: 403 HTTPS_REQUIRED',
    '400 KEY_IN_URL',
  ])
    expect(lines.join('\n')).toContain(came);
  const answered = logged()
    .split('\n')
    .filter((line) => line.includes('"message":"answered"'));
  const count = (text: string) => answered.filter((line) => line.includes(text)).length;
  const counted: Readonly<Record<string, number>> = {
    'AWS/ApiGateway Count': answered.length, // the gateway's own responses would only lower the shares that alarms watch
    'AWS/ApiGateway 4XXError': lines.length - 2,
    'AWS/Lambda Invocations': count('"endpoint":"capture-lead"'),
    ...Object.fromEntries(
      loggedMetrics.map((metric) => [`LeadService ${metric}`, count(`"${metric}":`)]),
    ),
  };
  for (const [metric, number] of Object.entries(counted))
    expect(number, metric).toBeLessThanOrEqual(verification[metric] ?? 0);
  // It sends requests with unknown keys, and one of them is a capture.
  expect(counted['LeadService unauthorized']).toBeGreaterThan(10);
  expect(counted['AWS/Lambda Invocations']).toBe(1);
});

/** Metrics of the log lines that a verification may add to. */
const loggedMetrics = [
  'refused',
  'unauthorized',
  'capturesUnauthorized',
  'capturesInvalid',
  'knownKeyRefused',
  'capturesMismatched',
];

test('verify --write writes what the contract can write, and leaves nothing behind', async () => {
  const { baseUrl, name, client, environment, logged } = await givenService();

  const reply = await verify(['--url', baseUrl, '--write'], environment);

  const { Items } = await client.send(new ScanCommand({ TableName: name }));
  expect(Items).toEqual([]);
  expect(failedLines(reply)).toEqual([]);
  expect(reply).toMatchObject({ status: 0, stderr: '' });
  expect(reply.lines.length).toBeGreaterThan(55);
  for (const check of ['source_id', '10 parallel captures', 'replays', 'revoked'])
    expect(reply.lines.join('\n')).toContain(check);
  // Its refused keys set off no alarm: they were made for an hour.
  expect(logged()).toContain('"keyRefusal":"revoked"');
  expect(logged()).not.toMatch(/knownKeyRefused|capturesMismatched/);
});

/** Runs verify --write and sends it a signal twice, as a terminal and npm do, after the first contract test. Waits for every process of the run. */
async function endedBy(signal: NodeJS.Signals) {
  const { baseUrl, environment } = service();
  const aTest = /^✓ \d\S* .* > /m;
  const args = ['infra/verify/main.ts', '--url', baseUrl, '--write'];
  const { child, printed, ended } = startProgram(node24, args, {
    env: { ...inherited(), ...environment },
  });
  let hasBegun = false;
  child.stdout?.on('data', () => {
    if (hasBegun || !aTest.test(printed.stdout)) return;
    hasBegun = true;
    for (let times = 0; times < 2; times += 1) child.kill(signal);
  });
  const { status } = await ended;
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

test('killed contract tests are a failed check, and what they wrote is removed', async () => {
  const { baseUrl, environment } = service();
  // Vitest's processes are titled after their modules folder. If one dies before it runs tests, Vitest notices only after 90 s.
  const kill = `
    import { subscribe } from 'node:diagnostics_channel';
    let requests = 0;
    if (process.argv[1]?.includes('/vitest/'))
      subscribe('undici:request:create', () => {
        requests += 1;
        if (requests === 10) process.kill(process.pid, 'SIGKILL');
      });`;
  const preload = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(kill)}` };

  const reply = await verify(['--url', baseUrl, '--write'], { ...environment, ...preload });

  const [, id] = /organization (\d+) in table/.exec(reply.lines.join('\n')) ?? [];
  expect(reply.status).toBe(1);
  expect(failedLines(reply)).toContainEqual(
    expect.stringMatching(/^✗ Contract tests: the tests broke off \(.*\)\. Next: /),
  );
  expect(await isLeft(Number(id))).toBe(false);
});

const hourMs = 3_600_000;

test('a temporary organization of a killed run is removed after an hour', async () => {
  const table = await givenTable();
  const own = newSettings();
  await applySettings(table, own);
  const before = await itemsOf(table);
  await createTemporaryOrganization(table, 2_000_000_001, new Date(Date.now() - 2 * hourMs));
  const withoutRecent = await itemsOf(table);
  await createTemporaryOrganization(table, 2_000_000_002);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  onTestFinished(() => stderr.mockRestore());

  const atOnce = await removeLeft(table);
  const withRecent = await itemsOf(table);
  const later = await removeLeft(table, new Date(Date.now() + 2 * hourMs));

  const [[note] = []] = stderr.mock.calls;

  expect(withoutRecent.length).toBeGreaterThan(before.length);
  expect([atOnce, later]).toEqual([1, 1]);
  expect(withRecent.length).toBe(withoutRecent.length);
  expect(note).toMatch(/^Removed the temporary organization 2000000001, which an earlier run/);
  expect(await itemsOf(table)).toEqual(before);
  table.client.destroy();
});

async function itemsOf({ client, name }: Awaited<ReturnType<typeof givenTable>>) {
  const { Items = [] } = await client.send(new ScanCommand({ TableName: name }));
  return Items.map(({ pk, sk }) => `${pk} ${sk}`).sort();
}

test('the idempotency records of some API keys are removed, and no others', async () => {
  const table = await givenTable();
  const record = async (keyId: string) => {
    const key = idempotencyPrimaryKey(keyId, 'any text');
    await table.client.send(new PutCommand({ TableName: table.name, Item: { ...key } }));
    return `${key.pk} ${key.sk}`;
  };
  const kept = await record('aaaaaaaaaa');
  await record('bbbbbbbbbb');

  const removed = await removeIdempotencyRecords(table, new Set(['bbbbbbbbbb', 'cccccccccc']));

  expect([removed, await itemsOf(table)]).toEqual([1, [kept]]);
  table.client.destroy();
});
