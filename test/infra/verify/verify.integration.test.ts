import { PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test, vi } from 'vitest';
import { createTemporaryOrganization, removeLeft } from '../../../infra/verify/write-checks.ts';
import { endpoints } from '../../../shared/endpoints.ts';
import { removeIdempotencyRecords } from '../../../shared/store/maintenance/remove-organization.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import { listOrganizations } from '../../../shared/store/organizations/organizations.ts';
import { idempotencyPrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { startStandInAws } from '../../support/aws/stand-in-aws.ts';
import { newSettings } from '../../support/organizations.ts';
import { startOwnService } from '../../support/own-service.ts';
import { service } from '../../support/service.ts';
import { freePort, node24, startProgram } from '../../support/service-process.ts';
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
  const logged = running.logged();
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
  // Its refused keys set off no alarm: they were made for an hour.
  expect(logged).toContain('"keyRefusal":"revoked"');
  expect(logged).not.toMatch(/knownKeyRefused|capturesMismatched/);
});

test('verify finds address, table and release of a stack by its outputs, and prints the release', async () => {
  const { environment } = service();
  const baseUrl = `http://127.0.0.1:${await freePort()}`;
  const aws = await startStandInAws();
  aws.outputs.set('BaseUrl', baseUrl).set('TableName', environment.LEADS_TABLE ?? '');
  aws.outputs.set('Release', 'v1.1.0').set('Version', '1.1.0+4f2a91c03b7d');

  const reply = await verify(['--stack', 'leads'], { ...aws.environment, ...environment });

  aws.close();
  expect(reply.lines).toEqual([
    'Stack leads runs v1.1.0, version 1.1.0+4f2a91c03b7d.',
    expect.stringContaining(`✗ GET ${baseUrl}/api/v1/leads: no reply `),
    `✓ Table ${environment.LEADS_TABLE}: ACTIVE, with 4 indexes`,
    '1 passed, 1 failed',
  ]);
  expect(reply.stderr).toMatch(/^Warning: AWS_ENDPOINT_URL_DYNAMODB is set/);
});

/** Runs verify --write and sends it a signal twice, as a terminal and npm do, after the first contract test. Waits for every process of the run. */
async function endedBy(signal: NodeJS.Signals) {
  const { baseUrl, environment } = service();
  const aTest = /^✓ \d\S* .* > /m;
  const args = ['infra/verify/main.ts', '--url', baseUrl, '--write'];
  const { child, printed, ended } = startProgram(node24, args, {
    env: { PATH: process.env.PATH, ...environment },
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

test('contract tests that are killed are a failed check, and what they wrote is removed', async () => {
  const { baseUrl, environment } = service();
  // Vitest's processes name themselves after their folder of modules.
  const kill = `if (process.argv[1]?.includes('/vitest/')) setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000);`;
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

test('a temporary organization that a killed run left is removed after an hour', async () => {
  const table = await givenTable();
  const own = newSettings();
  await applySettings(table, own);
  const before = await itemsOf(table);
  await createTemporaryOrganization(table, 2_000_000_001, new Date(Date.now() - 2 * hourMs));
  const withoutRecent = await itemsOf(table);
  await createTemporaryOrganization(table, 2_000_000_002);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);

  const atOnce = await removeLeft(table);
  const withRecent = await itemsOf(table);
  const later = await removeLeft(table, new Date(Date.now() + 2 * hourMs));

  const [[note] = []] = stderr.mock.calls;
  stderr.mockRestore();

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
