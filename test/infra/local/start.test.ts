import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startEngine } from '../../../infra/local/engine.ts';
import { prepareTable, readOrganizationFiles } from '../../../infra/local/prepare-table.ts';
import { clientConfig } from '../../../infra/local/table.ts';
import { openTable } from '../../../shared/store/table/client.ts';
import { getItem } from '../../../shared/store/table/get-item.ts';
import { phonePrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { startRunningTime } from '../../support/busy-machine.ts';
import {
  node24,
  projectFolder,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';
import { enginePid, newDb, start, startTimeout, useStarts } from './given-start.ts';

useStarts();

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

describe('a data folder that a service is started on three times', () => {
  const phone = '+919822012345';
  let db: string;
  let reader = '';
  let writer = '';
  let acknowledged: readonly string[];
  beforeAll(() => {
    db = newDb();
  });

  test('the first start prints one ready line, and SIGTERM ends it and its engine within five seconds', {
    timeout: startTimeout,
  }, async () => {
    const { ready, printed, end } = await start('--db', db);
    ({ reader = '', writer = '' } = ready.organizations[0]?.keys ?? {});
    expect((await capture(ready.baseUrl, writer, phone)).status).toBe(201);
    const engine = enginePid(db);

    const { status, ms } = await end('SIGTERM');

    expect(status).toBe(0);
    expect(ms).toBeLessThan(5000);
    expect(isAlive(engine)).toBe(false);
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

  test('the second start has the leads of the first and mints no key; kill -9 ends its engine too', {
    timeout: startTimeout,
  }, async () => {
    const { ready, end } = await start('--db', db);
    expect(ready.organizations).toEqual([{ id: 1, keys: {} }]);
    expect((await capture(ready.baseUrl, writer, phone)).status).toBe(200);
    const phones = Array.from(
      { length: 20 },
      (_, at) => `+9198330123${String(at).padStart(2, '0')}`,
    );
    const responses = await Promise.all(phones.map((one) => capture(ready.baseUrl, writer, one)));
    const engine = enginePid(db);

    await end('SIGKILL');

    await expect.poll(() => isAlive(engine), { timeout: 20_000 }).toBe(false);
    // On a busy machine a call to the engine can time out: that capture is a 500, which acknowledges nothing.
    expect(
      responses.map(({ status }) => status).filter((status) => status !== 201 && status !== 500),
    ).toEqual([]);
    acknowledged = phones.filter((_, at) => responses[at]?.status === 201);
    expect(acknowledged).not.toEqual([]);
  });

  test('the start after a kill -9 has every acknowledged lead once', {
    timeout: startTimeout,
  }, async () => {
    const { ready } = await start('--db', db);

    const listed = await fetch(`${ready.baseUrl}/api/v1/leads?limit=100`, {
      headers: { Authorization: `Bearer ${reader}` },
    });

    const { items } = (await listed.json()) as { items: { phone: string }[] };
    expect(items.map(({ phone }) => phone)).toEqual(
      expect.arrayContaining([phone, ...acknowledged]),
    );
    expect(new Set(items.map(({ phone }) => phone)).size).toBe(items.length);
  });
});

describe('several services', () => {
  let services: (ServiceProcess & { readonly engine: number })[];
  beforeAll(async () => {
    services = await Promise.all(
      [newDb(), newDb()].map(async (db) => {
        const args = ['--port', '0', '--engine', 'dynoxide', '--db', db];
        const service = await startServiceProcess(args);
        return { ...service, engine: enginePid(db) };
      }),
    );
  }, 3 * startTimeout);
  afterAll(async () => {
    for (const { child, end } of services) if (child.exitCode === null) await end('SIGKILL');
  });

  test('several services run in parallel, each with an address and an engine of its own', () => {
    const addresses = services.flatMap(({ ready: { baseUrl, environment } }) => [
      baseUrl,
      environment.AWS_ENDPOINT_URL_DYNAMODB,
    ]);

    expect(new Set(addresses).size).toBe(4);
  });

  test('SIGINT ends the service and its engine with status 0 within five seconds', {
    timeout: startTimeout,
  }, async () => {
    const { end, engine } = services[0]!;

    const { status, ms } = await end('SIGINT');

    expect(status).toBe(0);
    expect(ms).toBeLessThan(5000);
    expect(isAlive(engine)).toBe(false);
  });

  test('a service whose engine dies ends with status 1 and says so', {
    timeout: startTimeout,
  }, async () => {
    const { child, printed, engine } = services[1]!;
    const exited = once(child, 'close');

    process.kill(engine, 'SIGKILL');
    await exited;

    expect(child.exitCode).toBe(1);
    expect(printed.stderr).toContain('The engine dynoxide ended by itself');
  });
});

test.each(['SIGTERM', 'SIGKILL'] as const)(
  'a service of npm start, and its engine, end within five seconds of a %s to npm',
  {
    timeout: startTimeout,
  },
  async (signal) => {
    const db = newDb();
    const options = ['--port', '0', '--db', db, '--engine', 'dynoxide', '--json'];
    const npm = spawn('npm', ['start', '--silent', '--', ...options], {
      cwd: projectFolder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    await once(npm.stdout, 'data');
    const pids = [Number(readFileSync(join(db, 'service.pid'), 'utf8')), enginePid(db)];
    expect(pids.map(isAlive)).toEqual([true, true]);
    const endRunningTime = startRunningTime();

    npm.kill(signal);

    await expect.poll(() => pids.map(isAlive), { timeout: 20_000 }).toEqual([false, false]);
    expect(endRunningTime()).toBeLessThan(5000);
  },
);

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

    const { ready, end } = await startServiceProcess(['--engine', endpoint]);

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
