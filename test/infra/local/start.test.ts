import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  node24,
  projectFolder,
  runServiceProcess,
  type ServiceProcess,
  startServiceProcess,
} from '../../support/service-process.ts';

// Each of these starts the service as a person does; two cores, and an engine of its own each.
const timeout = 60_000;

let scratch: string;
beforeAll(() => {
  scratch = mkdtempSync(join(tmpdir(), 'start-test-'));
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const started: ServiceProcess[] = [];
afterEach(async () => {
  await Promise.all(
    started.splice(0).map(async ({ child, end }) => (child.exitCode === null && child.signalCode === null ? end() : undefined)),
  );
});

const newDb = (): string => mkdtempSync(join(scratch, 'db-'));
async function start(...args: string[]): Promise<ServiceProcess> {
  const service = await startServiceProcess(['--port', '0', '--engine', 'dynoxide', ...args]);
  started.push(service);
  return service;
}

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
    return !/^State:\s+Z/m.test(existsSync(`/proc/${pid}/status`) ? readFileSync(`/proc/${pid}/status`, 'utf8') : '');
  } catch {
    return false;
  }
};

const enginePid = (db: string): number => Number(readFileSync(join(db, 'dynoxide', 'engine.pid'), 'utf8'));

test('prints one ready line and nothing else on stdout', { timeout }, async () => {
  const { ready, printed, end } = await start('--db', ':memory:');
  await fetch(`${ready.baseUrl}/api/v1/lead-fields`);
  await end();

  expect(printed.stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(Object.keys(ready)).toEqual(['ready', 'baseUrl', 'organizations', 'environment']);
  expect(ready.baseUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  expect(ready.organizations[0]).toMatchObject({ id: 1, keys: { reader: expect.any(String), writer: expect.any(String) } });
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
  { timeout },
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

test('keeps leads and keys from one start to the next, and mints no key twice', { timeout }, async () => {
  const db = newDb();
  const first = await start('--db', db);
  const { writer = '' } = first.ready.organizations[0]!.keys;
  expect((await capture(first.ready.baseUrl, writer, '+919822012345')).status).toBe(201);
  await first.end();

  const second = await start('--db', db);

  expect(second.ready.organizations).toEqual([{ id: 1, keys: {} }]);
  expect((await capture(second.ready.baseUrl, writer, '+919822012345')).status).toBe(200);
});

test('a kill -9 takes the engine along, and the next start has every acknowledged lead', { timeout }, async () => {
  const db = newDb();
  const first = await start('--db', db);
  const { writer = '' } = first.ready.organizations[0]!.keys;
  const phones = Array.from({ length: 20 }, (_, at) => `+9198220123${String(at).padStart(2, '0')}`);
  const answers = await Promise.all(phones.map((phone) => capture(first.ready.baseUrl, writer, phone)));
  expect(answers.map(({ status }) => status)).toEqual(phones.map(() => 201));
  const engine = enginePid(db);
  await first.end('SIGKILL');

  const second = await start('--db', db);

  expect(isAlive(engine)).toBe(false);
  const again = await Promise.all(phones.map((phone) => capture(second.ready.baseUrl, writer, phone)));
  expect(again.map(({ status }) => status)).toEqual(phones.map(() => 200));
});

test('a service that lost its launcher ends by itself', { timeout }, async () => {
  const db = newDb();
  const { child } = await start('--db', db);
  const engine = enginePid(db);
  const exited = once(child, 'exit');

  child.disconnect();
  await exited;

  expect(child.exitCode).toBe(0);
  expect(isAlive(engine)).toBe(false);
});

test('a service whose engine dies ends with status 1 and says so', { timeout }, async () => {
  const db = newDb();
  const { child, printed } = await start('--db', db);
  const exited = once(child, 'close');

  process.kill(enginePid(db), 'SIGKILL');
  await exited;

  expect(child.exitCode).toBe(1);
  expect(printed.stderr).toContain('The engine dynoxide ended by itself');
});

test('several services run in parallel', { timeout }, async () => {
  const services = await Promise.all([start('--db', newDb()), start('--db', ':memory:'), start('--db', ':memory:')]);

  expect(new Set(services.map(({ ready }) => ready.baseUrl)).size).toBe(3);
  expect(new Set(services.map(({ ready }) => ready.environment.AWS_ENDPOINT_URL_DYNAMODB)).size).toBe(3);
});

test('an engine by its address is used as it is, its table left in place', { timeout }, async () => {
  const first = await start('--db', ':memory:');
  const address = first.ready.environment.AWS_ENDPOINT_URL_DYNAMODB!;
  const { writer = '' } = first.ready.organizations[0]!.keys;
  await capture(first.ready.baseUrl, writer, '+919822012345');

  const second = await startServiceProcess(['--port', '0', '--engine', address]);
  started.push(second);

  expect(second.ready.environment.AWS_ENDPOINT_URL_DYNAMODB).toBe(address);
  expect((await capture(second.ready.baseUrl, writer, '+919822012345')).status).toBe(200);
  await second.end();
  expect((await capture(first.ready.baseUrl, writer, '+919822012345')).status).toBe(200);
});

describe('refuses to start, with status 1 and one sentence:', () => {
  const refusal = async (...args: string[]): Promise<string> => {
    const { status, stdout, stderr } = await runServiceProcess(['--json', ...args]);
    expect(status).toBe(1);
    expect(stdout).toBe('');
    expect(stderr.trimEnd().split('\n')).toHaveLength(1);
    return stderr;
  };

  test('on data that another service uses', { timeout }, async () => {
    const db = newDb();
    const { child } = await start('--db', db);

    expect(await refusal('--port', '0', '--engine', 'dynoxide', '--db', db)).toContain(
      `--db ${db}: another service (process ${child.pid}) is using this folder`,
    );
  });

  test('on a port in use', { timeout }, async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const { port } = other.address() as { port: number };

    expect(await refusal('--port', String(port), '--db', ':memory:')).toContain(`--port ${port}: the port is in use`);
    other.close();
  });

  test('on a settings file that does not exist, is not JSON, or is invalid', { timeout }, async () => {
    const wrong = join(scratch, 'wrong.json');
    writeFileSync(wrong, '{"id": 0, "name": ""}');
    const broken = join(scratch, 'broken.json');
    writeFileSync(broken, '{');
    const common = ['--port', '0', '--db', ':memory:', '--organization'];

    expect(await refusal(...common, join(scratch, 'absent.json'))).toContain('absent.json: the file cannot be read (ENOENT)');
    expect(await refusal(...common, broken)).toContain('$ is not valid JSON');
    expect(await refusal(...common, wrong)).toMatch(/\$\.id .*\$\.name /);
  });

  test('with an engine that there is not, that does not answer, or that cannot keep its data', { timeout }, async () => {
    const file = join(scratch, 'a-file');
    writeFileSync(file, '');

    expect(await refusal('--port', '0', '--engine', 'mongo')).toContain('--engine mongo: there is no such engine');
    expect(await refusal('--port', '0', '--engine', 'http://127.0.0.1:1')).toContain(
      'The engine at http://127.0.0.1:1 cannot provide the table leads',
    );
    expect(await refusal('--port', '0', '--engine', 'dynoxide', '--db', file)).toContain(
      `--db ${file}: the folder cannot be used`,
    );
  });

  test('with an option that there is not, or a port that is none', { timeout }, async () => {
    expect(await refusal('--port', '70000')).toContain('It must be an integer from 0 to 65535.');
    const { status, stderr } = await runServiceProcess(['--prot', '0']);
    expect({ status, stderr }).toEqual({
      status: 1,
      stderr: "Unknown option '--prot'. Did you mean --port? See: npm start -- --help\n",
    });
  });
});

test('the banner has an address, the keys, and lines that work as printed', { timeout }, async () => {
  const child = spawn(node24, ['infra/local/start.ts', '--port', '0', '--db', ':memory:'], { cwd: projectFolder });
  try {
    let banner = '';
    child.stdout.on('data', (chunk) => {
      banner += String(chunk);
    });
    await expect.poll(() => banner, { timeout: 20_000 }).toContain('Ctrl-C');
    const line = banner.slice(banner.indexOf('curl'), banner.indexOf("'\n", banner.indexOf('-d ')) + 1);
    const paste = (text: string): string =>
      execFileSync('sh', ['-c', text], { cwd: projectFolder, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });

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
