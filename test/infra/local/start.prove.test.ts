import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { listen } from '../../../infra/cli/listen.ts';
import { startRunningTime } from '../../support/busy-machine.ts';
import {
  node24,
  projectFolder,
  type ReadyLine,
  runProgram,
  startProgram,
  startServiceProcess,
} from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';
import { enginePid, isAlive } from './engine-process.ts';

/** The service as a person starts it, in a process of its own. It bundles every function: on a very busy machine, a start takes a minute. */
const timeout = 180_000;
const { newFolder } = useFolder();

const capture = (baseUrl: string, apiKey: string, phone: string): Promise<Response> =>
  fetch(`${baseUrl}/api/v1/leads/capture`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${apiKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ name: 'Asha Rao', phone }),
  });

/** The service under npm. Its `end` sends npm a signal, and expects the service and its engine to end within five seconds. */
async function startByNpm(db: string) {
  const options = ['--port', '0', '--engine', 'dynoxide', '--db', db, '--json'];
  const { child: npm, printed } = startProgram('npm', ['start', '--silent', '--', ...options]);
  onTestFinished(() => void npm.kill());
  await expect.poll(() => printed.stdout, { timeout }).toContain('\n');
  const pids = [Number(readFileSync(join(db, 'service.pid'), 'utf8')), enginePid(db)];
  expect(pids.map(isAlive)).toEqual([true, true]);
  const end = async (signal: NodeJS.Signals): Promise<number | null> => {
    const endRunningTime = startRunningTime();
    const exited = once(npm, 'exit');
    npm.kill(signal);
    await expect.poll(() => pids.map(isAlive), { timeout: 20_000 }).toEqual([false, false]);
    expect(endRunningTime()).toBeLessThan(5000);
    return (await exited)[0];
  };
  return { ready: JSON.parse(printed.stdout) as ReadyLine, end, printed: () => printed.stdout };
}

describe('a data folder that a service is started on three times', () => {
  const phone = '+919822012345';
  let db: string;
  let reader = '';
  let writer = '';
  let acknowledged: readonly string[];
  beforeAll(() => {
    db = newFolder('db');
  });

  test('npm start prints one ready line, and SIGTERM to npm ends the service and its engine', {
    timeout,
  }, async () => {
    const { ready, printed, end } = await startByNpm(db);
    ({ reader = '', writer = '' } = ready.organizations[0]?.keys ?? {});
    expect((await capture(ready.baseUrl, writer, phone)).status).toBe(201);

    expect(await end('SIGTERM')).toBe(0);

    expect(printed().trimEnd().split('\n')).toHaveLength(1);
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
    timeout,
  }, async () => {
    const { child, ready, end } = await startServiceProcess(['--engine', 'dynoxide', '--db', db]);
    onTestFinished(() => void child.kill());
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

  test('after a kill -9, a start has every acknowledged lead once; kill -9 of npm ends it and its engine', {
    timeout,
  }, async () => {
    const { ready, end } = await startByNpm(db);

    const listed = await fetch(`${ready.baseUrl}/api/v1/leads?limit=100`, {
      headers: { Authorization: `Bearer ${reader}` },
    });

    const { items } = (await listed.json()) as { items: { phone: string }[] };
    expect(items.map(({ phone }) => phone)).toEqual(
      expect.arrayContaining([phone, ...acknowledged]),
    );
    expect(new Set(items.map(({ phone }) => phone)).size).toBe(items.length);
    await end('SIGKILL');
  });
});

test('the banner has lines that work as printed; a service whose engine dies ends with status 1', {
  timeout,
}, async () => {
  const db = newFolder('db');
  const args = ['--port', '0', '--engine', 'dynoxide', '--db', db];
  const { child, printed, ended } = startProgram(node24, ['infra/local/start.ts', ...args]);
  onTestFinished(() => void child.kill());
  await expect.poll(() => printed.stdout, { timeout }).toContain('Ctrl-C');
  const banner = printed.stdout;
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

  process.kill(enginePid(db), 'SIGKILL');
  const { status, stderr } = await ended;
  expect(status).toBe(1);
  expect(stderr).toContain('The engine dynoxide ended by itself');
});

test('a port in use, and wrong usage, end a start with one sentence on stderr and nothing on stdout', {
  timeout,
}, async () => {
  const other = createServer();
  const port = await listen(other, 0);

  const ended = await Promise.all(
    [`--json --port ${port} --db :memory:`, '--prot 0', '--engine mongo'].map((args) =>
      runProgram(node24, ['infra/local/start.ts', ...args.split(' ')]),
    ),
  );

  other.close();
  const usage = { status: 2, stdout: '' };
  expect(ended).toEqual([
    {
      status: 1,
      stdout: '',
      stderr: `--port ${port}: the port is in use: name another port, or 0 for a free one: npm start -- --port 0\n`,
    },
    {
      ...usage,
      stderr: "Unknown option '--prot' (Did you mean --port?) See: npm start -- --help\n",
    },
    {
      ...usage,
      stderr: expect.stringContaining(
        'It must be auto, dynoxide, dynamodb-local or an address (http://…).',
      ),
    },
  ]);
});
