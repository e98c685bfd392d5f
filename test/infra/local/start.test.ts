import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { startEngine } from '../../../infra/local/engine.ts';
import { prepareTable } from '../../../infra/local/prepare-table.ts';
import { readOrganizationFiles } from '../../../infra/local/settings-at-start.ts';
import { clientConfig } from '../../../infra/local/table.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { getItem } from '../../../shared/store/table/get-item.ts';
import { phonePrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { node24, projectFolder, startServiceProcess } from '../../support/service-process.ts';
import { newDb, start, startTimeout } from './given-start.ts';

const capture = (baseUrl: string, apiKey: string, phone: string): Promise<Response> =>
  fetch(`${baseUrl}/api/v1/leads/capture`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Asha Rao', phone }),
  });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    // A zombie whose parent has not looked is gone too.
    return !/^State:\s+Z/m.test(
      existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '',
    );
  } catch {
    return false;
  }
};

const enginePid = (db: string): number =>
  Number(readFileSync(join(db, 'dynoxide', 'engine.pid'), 'utf8'));

test('prints one ready line and nothing else on stdout', { timeout: startTimeout }, async () => {
  const { ready, printed, end } = await start('--db', ':memory:');
  await fetch(`${ready.baseUrl}/api/v1/lead-fields`);
  await end();

  expect(printed.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(Object.keys(ready)).toEqual(['ready', 'baseUrl', 'organizations', 'environment']);
  expect(ready.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(ready.organizations[0]).toMatchObject({
    id: 1,
    keys: { reader: expect.any(String), writer: expect.any(String) },
  });
  expect(Object.keys(ready.environment).sort()).toEqual([
    'AWS_ACCESS_KEY_ID',
    'AWS_ENDPOINT_URL_DYNAMODB',
    'AWS_REGION',
    'AWS_SECRET_ACCESS_KEY',
    'LEADS_TABLE',
  ]);
});

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the service and its engine with status 0 within five seconds',
  { timeout: startTimeout },
  async (signal) => {
    const db = newDb();
    const { end } = await start('--db', db);
    const engine = enginePid(db);

    const { status, ms } = await end(signal);

    expect(status).toBe(0);
    expect(ms).toBeLessThan(5000);
    expect(isAlive(engine)).toBe(false);
  },
);

test('keeps leads and keys from one start to the next, and mints no key twice', {
  timeout: 2 * startTimeout,
}, async () => {
  const db = newDb();
  const first = await start('--db', db);
  const { writer = '' } = first.ready.organizations[0]!.keys;
  expect((await capture(first.ready.baseUrl, writer, '+919822012345')).status).toBe(201);
  await first.end();

  const second = await start('--db', db);

  expect(second.ready.organizations).toEqual([{ id: 1, keys: {} }]);
  expect((await capture(second.ready.baseUrl, writer, '+919822012345')).status).toBe(200);
});

test('a kill -9 takes the engine along, and the next start has every acknowledged lead', {
  timeout: 2 * startTimeout,
}, async () => {
  const db = newDb();
  const first = await start('--db', db);
  const { reader = '', writer = '' } = first.ready.organizations[0]!.keys;
  const phones = Array.from({ length: 20 }, (_, at) => `+9198220123${String(at).padStart(2, '0')}`);
  const responses = await Promise.all(
    phones.map((phone) => capture(first.ready.baseUrl, writer, phone)),
  );
  const engine = enginePid(db);
  await first.end('SIGKILL');
  // On a busy machine a call to the engine can time out: that capture is a 500, which acknowledges nothing.
  expect(
    responses.map(({ status }) => status).filter((status) => status !== 201 && status !== 500),
  ).toEqual([]);
  const acknowledged = phones.filter((_, at) => responses[at]?.status === 201);
  expect(acknowledged).not.toEqual([]);

  const second = await start('--db', db);

  expect(isAlive(engine)).toBe(false);
  const listed = await fetch(`${second.ready.baseUrl}/api/v1/leads?limit=100`, {
    headers: { Authorization: `Bearer ${reader}` },
  });
  const { items } = (await listed.json()) as { items: { phone: string }[] };
  expect(items.map(({ phone }) => phone)).toEqual(expect.arrayContaining(acknowledged));
  expect(new Set(items.map(({ phone }) => phone)).size).toBe(items.length);
});

test('a service that lost its launcher ends by itself', { timeout: startTimeout }, async () => {
  const db = newDb();
  const { child } = await start('--db', db);
  const engine = enginePid(db);
  const exited = once(child, 'exit');

  child.disconnect();
  await exited;

  expect(child.exitCode).toBe(0);
  expect(isAlive(engine)).toBe(false);
});

test('a service whose engine dies ends with status 1 and says so', {
  timeout: startTimeout,
}, async () => {
  const db = newDb();
  const { child, printed } = await start('--db', db);
  const exited = once(child, 'close');

  process.kill(enginePid(db), 'SIGKILL');
  await exited;

  expect(child.exitCode).toBe(1);
  expect(printed.stderr).toContain('The engine dynoxide ended by itself');
});

test('several services run in parallel', { timeout: 3 * startTimeout }, async () => {
  const services = await Promise.all([
    start('--db', newDb()),
    start('--db', ':memory:'),
    start('--db', ':memory:'),
  ]);

  expect(new Set(services.map(({ ready }) => ready.baseUrl)).size).toBe(3);
  expect(
    new Set(services.map(({ ready }) => ready.environment.AWS_ENDPOINT_URL_DYNAMODB)).size,
  ).toBe(3);
});

test('an engine by its address is used as it is, its table left in place', {
  timeout: startTimeout,
}, async () => {
  const engine = await startEngine({ engine: 'dynoxide', dataFolder: ':memory:' });
  try {
    const { environment, endpoint } = engine;
    const [organization] = await prepareTable({
      environment,
      files: readOrganizationFiles([]),
      tell: () => undefined,
    });

    const { ready, end } = await startServiceProcess(['--port', '0', '--engine', endpoint]);

    expect(ready.environment.AWS_ENDPOINT_URL_DYNAMODB).toBe(endpoint);
    expect(ready.organizations).toEqual([{ id: 1, keys: {} }]);
    expect(
      (await capture(ready.baseUrl, organization?.keys.writer ?? '', '+919822012345')).status,
    ).toBe(201);
    expect((await end()).status).toBe(0);
    const table = openTable(environment.LEADS_TABLE, clientConfig(environment));
    expect(await getItem(table, phonePrimaryKey(1, '+919822012345'))).toBeDefined();
    table.client.destroy();
  } finally {
    await engine.stop();
  }
});

test('the banner has an address, the keys, and lines that work as printed', {
  timeout: startTimeout,
}, async () => {
  const child = spawn(node24, ['infra/local/start.ts', '--port', '0', '--db', ':memory:'], {
    cwd: projectFolder,
  });
  try {
    let banner = '';
    child.stdout.on('data', (chunk) => {
      banner += String(chunk);
    });
    await expect.poll(() => banner, { timeout: 20_000 }).toContain('Ctrl-C');
    const line = banner.slice(
      banner.indexOf('curl'),
      banner.indexOf("'\n", banner.indexOf('-d ')) + 1,
    );
    const paste = (text: string): string =>
      execFileSync('sh', ['-c', text], {
        cwd: projectFolder,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      });

    expect(paste(line)).toMatch(/^HTTP\/1\.1 201 /);
    expect(paste(line)).toMatch(/idempotent-replayed: true/i);
    const administer = banner.split('\n').filter((one) => /^ +(export|npm run) /.test(one));
    expect(administer.some((one) => one.includes('key create'))).toBe(true);
    expect(paste(administer.join(' && ').replaceAll(/ {2,}/g, ''))).toMatch(/^leads_live_/m);
  } finally {
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    await exited;
  }
});
