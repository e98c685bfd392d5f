import { once } from 'node:events';
import { readdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { inMemory, startEngine } from '../../../infra/local/engine.ts';
import { workersOfEnvironment } from '../../../infra/local/functions.ts';
import {
  type OrganizationFile,
  prepareTable,
  readOrganizationFiles,
} from '../../../infra/local/prepare-table.ts';
import { type ServiceOptions, startService } from '../../../infra/local/service.ts';
import { StartError } from '../../../infra/local/start-error.ts';
import { runServiceProcess } from '../../support/service-process.ts';
import { newDb, scratch, start, startTimeout, useStarts } from './given-start.ts';

useStarts();

/** What `npm start` prints, and ends with status 1, when a part of the start is refused. */
async function refusal(begin: () => unknown): Promise<string> {
  try {
    await begin();
  } catch (error) {
    if (error instanceof StartError) return error.message;
    throw error;
  }
  throw new Error('Nothing was refused.');
}
const refusedFile = (file: string) => refusal(() => readOrganizationFiles([file]));
const refusedEngine = (engine: string, dataFolder: string = inMemory) =>
  refusal(() => startEngine({ engine, dataFolder }));

test('a start on a port in use ends with status 1, prints one sentence on stderr, and nothing on stdout', {
  timeout: startTimeout,
}, async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };

  const ended = await runServiceProcess(['--json', '--port', String(port), '--db', ':memory:']);

  other.close();
  expect(ended).toEqual({
    status: 1,
    stdout: '',
    stderr: `--port ${port}: the port is in use: name another port, or 0 for a free one.\n`,
  });
});

test('an option that is misspelt is refused with the nearest one', {
  timeout: startTimeout,
}, async () => {
  expect(await runServiceProcess(['--prot', '0'])).toEqual({
    status: 2,
    stdout: '',
    stderr: "Unknown option '--prot'. Did you mean --port? See: npm start -- --help\n",
  });
});

test('a port that is not a port is refused with the range of ports', {
  timeout: startTimeout,
}, async () => {
  const { status, stderr } = await runServiceProcess(['--port', '70000']);

  expect({ status, stderr }).toEqual({
    status: 2,
    stderr: expect.stringContaining('It must be an integer from 0 to 65535.'),
  });
});

test('a start on data that another service uses is refused with its process ID', {
  timeout: startTimeout,
}, async () => {
  const db = newDb();
  const { child } = await start('--db', db);

  expect(await refusedEngine('dynoxide', db)).toContain(
    `--db ${db}: another service (process ${child.pid}) is using this folder`,
  );
});

test.each([
  ['does not exist', undefined, /absent\.json: the file cannot be read \(ENOENT\).*\.$/],
  ['is not JSON', '{', /wrong\.json: The settings file has one problem: \$ is not valid JSON.*\.$/],
])('a settings file that %s is refused in one sentence', async (_, content, expected) => {
  const file = join(scratch, content === undefined ? 'absent.json' : 'wrong.json');
  if (content !== undefined) writeFileSync(file, content);

  expect(await refusedFile(file)).toMatch(expected);
});

test('a settings file with several problems is refused with one line for each', async () => {
  const file = join(scratch, 'problems.json');
  writeFileSync(file, '{"id": 0, "name": ""}');

  const [sentence, ...problems] = (await refusedFile(file)).split('\n');

  expect(sentence).toBe(
    `--organization ${file}: The settings file has ${problems.length} problems:`,
  );
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.stringMatching(/^ {2}\$\.id must /),
      expect.stringMatching(/^ {2}\$\.name must /),
    ]),
  );
});

test('an engine that does not exist is refused by its name', {
  timeout: startTimeout,
}, async () => {
  expect(await refusedEngine('mongo')).toContain('--engine mongo: there is no such engine');
});

test('the address of an engine that is not running is refused', {
  timeout: startTimeout,
}, async () => {
  const { environment } = await startEngine({ engine: 'http://127.0.0.1:1', dataFolder: inMemory });
  const files = readOrganizationFiles([]);

  expect(
    await refusal(() => prepareTable({ environment, files, tell: () => undefined })),
  ).toContain('The engine at http://127.0.0.1:1 failed (ECONNREFUSED: ');
});

test('a folder in which an engine cannot keep its data is refused', {
  timeout: startTimeout,
}, async () => {
  const file = join(scratch, 'a-file');
  writeFileSync(file, '');

  expect(await refusedEngine('dynoxide', file)).toContain(
    `--db ${file}: the folder cannot be used`,
  );
});

test('a number of workers that is not a number is refused, and an empty one is not set', async () => {
  expect(await refusal(() => workersOfEnvironment({ WORKERS_PER_FUNCTION: 'all' }))).toContain(
    'WORKERS_PER_FUNCTION is all: it must be an integer from 1 to 99',
  );
  expect(workersOfEnvironment({ WORKERS_PER_FUNCTION: '' })).toBeUndefined();
});

const refusedStart = (db: string, options: Partial<ServiceOptions> = {}) =>
  refusal(() =>
    startService({
      port: 0,
      db,
      engine: 'dynoxide',
      organizations: [],
      gatewayLimits: false,
      tell: () => undefined,
      output: process.stderr,
      ...options,
    }),
  );

test('a start with a wrong number of workers is refused before there is a table with API keys', {
  timeout: startTimeout,
}, async () => {
  vi.stubEnv('WORKERS_PER_FUNCTION', '100');
  onTestFinished(() => void vi.unstubAllEnvs());
  const db = newDb();

  expect(await refusedStart(db)).toContain('WORKERS_PER_FUNCTION is 100');
  expect(readdirSync(db)).toEqual([]);
});

test('after a start whose events file was refused, the next start shows the API keys', {
  timeout: startTimeout,
}, async () => {
  const db = newDb();

  expect(await refusedStart(db, { events: join(db, 'absent', 'events') })).toContain(
    'its folder does not exist',
  );
  const { ready } = await start('--db', db);
  expect(ready.organizations[0]?.keys).toHaveProperty('writer');
});

test('after a start whose second settings file was refused, the next start shows the API keys of the first', {
  timeout: startTimeout,
}, async () => {
  const engine = await startEngine({ engine: 'dynoxide', dataFolder: inMemory });
  onTestFinished(() => engine.stop());
  const prepare = (...files: OrganizationFile[]) =>
    prepareTable({ environment: engine.environment, files, tell: () => undefined });
  const [demo] = readOrganizationFiles([]) as [OrganizationFile];
  const first: OrganizationFile = { ...demo, file: 'first.json' };
  const second = { ...first, file: 'second.json', settings: { ...first.settings, id: 2 } };
  const tooLarge = { ...second.settings, name: 'x'.repeat(400_000) };

  expect(await refusal(() => prepare(first, { ...second, settings: tooLarge }))).toMatch(
    /^--organization second\.json: /,
  );
  const [prepared] = await prepare(first, second);
  expect(prepared?.keys).toHaveProperty('writer');
});
