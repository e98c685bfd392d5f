import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { expect, onTestFinished, type TestContext, test, vi } from 'vitest';
import { CommandError } from '../../../infra/cli/command.ts';
import { inMemory, startEngine } from '../../../infra/local/engine.ts';
import { workersPerFunctionIn } from '../../../infra/local/functions.ts';
import { prepareTable, readOrganizationFiles } from '../../../infra/local/prepare-table.ts';
import { type Service, type ServiceOptions, startService } from '../../../infra/local/service.ts';
import { internalServerError } from '../../dynamodb-model/dynamodb-model.ts';
import { startDynamodbProxy } from '../../support/faults/proxy.ts';
import type { Fault, FaultRule } from '../../support/faults/rules.ts';
import { useFolder } from '../given-folder.ts';

const { newFolder, newPath } = useFolder();

const start = (options: Partial<ServiceOptions>): Promise<Service> =>
  startService({
    ...{ port: 0, db: inMemory, engine: 'dynoxide', organizations: [] },
    tell: () => undefined,
    output: new PassThrough(),
    ...options,
  });

test('a start with a wrong number of workers is refused before there is a table with API keys', async () => {
  vi.stubEnv('WORKERS_PER_FUNCTION', '100');
  onTestFinished(() => void vi.unstubAllEnvs());
  const db = newFolder('db');

  await expect(start({ db })).rejects.toThrow(
    new CommandError(
      'WORKERS_PER_FUNCTION is 100: it must be an integer from 1 to 99, or not set.',
    ),
  );
  expect(readdirSync(db)).toEqual([]);
  expect(workersPerFunctionIn({ WORKERS_PER_FUNCTION: '' })).toBeGreaterThan(1);
});

test('after a start whose events file was refused, the next start shows the API keys', async () => {
  const db = newPath('db');

  await expect(start({ db, events: join(db, 'absent', 'events') })).rejects.toThrow(
    'its folder does not exist',
  );
  const { environment, stop } = await startEngine({ engine: 'dynoxide', dataFolder: db });
  onTestFinished(stop);
  const files = readOrganizationFiles([]);
  const [prepared] = await prepareTable({ environment, files, tell: () => undefined });
  expect(prepared?.keys).toHaveProperty('writer');
});

test('a start fills in names alone and writes them into the file, which the next start does not change', async () => {
  const engine = await startEngine({ engine: 'dynoxide', dataFolder: inMemory });
  onTestFinished(() => engine.stop());
  const file = newPath('names.json');
  const written = {
    id: 5,
    name: 'A',
    modules: ['crm'],
    users: ['Asha'],
    sources: ['Website'],
    fields: [],
  };
  const key = { label: 'reader', type: 'application', scopes: ['leads.read'], createdBy: 1 };
  const prepare = async (content: object) => {
    writeFileSync(file, JSON.stringify(content));
    const files = readOrganizationFiles([file]);
    await prepareTable({ environment: engine.environment, files, tell: () => undefined });
    return readFileSync(file, 'utf8');
  };

  const first = await prepare({ ...written, stages: ['New'], keys: [key] });
  const again = await prepare(JSON.parse(first));
  const zoya = { id: 7, name: 'Zoya' };
  const more = await prepare({ ...written, users: ['Ravi', 'Asha', zoya], stages: ['New'] });
  // Only the settings in force say that there is a user 7.
  const users = ['Ravi', 'Asha', 'Zoya'];
  const byId = { users, stages: ['New'], assignmentRules: [{ users: [7] }] };
  const referring = await prepare({ ...written, ...byId });

  expect(JSON.parse(first)).toMatchObject({
    users: [{ id: 1, name: 'Asha' }],
    pipelines: [{ id: 1, stages: [{ id: 1, slug: 'new', isDefault: true }] }],
  });
  expect(again).toBe(JSON.stringify(JSON.parse(first)));
  const ids = [more, referring].map((text) =>
    JSON.parse(text).users.map(({ id }: { id: number }) => id),
  );
  expect(ids).toEqual([
    [8, 1, 7],
    [8, 1, 7],
  ]);
});

test('a folder in which an engine cannot keep its data is refused', async () => {
  const file = newPath('a-file');
  writeFileSync(file, '');

  const refusal = (db: string) =>
    new CommandError(
      `--db ${db}: the folder cannot be used (a file is in the way): name another folder.`,
    );
  await expect(start({ db: file })).rejects.toThrow(refusal(file));
  const below = join(file, 'db');
  const starting = startEngine({ engine: 'dynoxide', dataFolder: below }); // without a build of the functions
  await expect(starting).rejects.toThrow(refusal(below));
});

test.each([
  [
    'does not exist',
    undefined,
    /: the file cannot be read: the file or its folder does not exist\.$/,
  ],
  ['is not JSON', '{', /: The settings file has one problem: \$ is not valid JSON.*\.$/],
  [
    'has several problems, with one line for each',
    '{"id": 0, "name": ""}',
    /: The settings file has \d+ problems:\n(?: {2}\$.*\n)* {2}\$\.id must .*\n(?: {2}\$.*\n)* {2}\$\.name must /,
  ],
  [
    'has names alone and a fault that no settings in force can mend',
    '{"id":5,"name":"A","modules":["crm"],"users":["Asha"],"stages":["New"],"sources":["Website"],"fields":7}',
    /: The settings file has one problem: \$\.fields must be .*, but is 7\.$/,
  ],
])('a settings file is refused that %s', (_, content, sentence) => {
  const file = newPath('settings.json');
  if (content !== undefined) writeFileSync(file, content);

  expect(() => readOrganizationFiles([file])).toThrow(sentence);
});

/** Prepares the table of an engine behind a proxy with a rule. The tests wait for time-outs: all at once. */
async function prepareWith(
  rule: FaultRule,
  onTestFinished: TestContext['onTestFinished'],
  answersWithinMs?: number,
): Promise<{ endpoint: string; prepared: ReturnType<typeof prepareTable> }> {
  const engine = await startEngine({ engine: 'dynoxide', dataFolder: inMemory });
  onTestFinished(() => engine.stop());
  const proxy = await startDynamodbProxy(engine.endpoint);
  onTestFinished(() => proxy.stop());
  proxy.rule = rule;
  const environment = { ...engine.environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint };
  const files = readOrganizationFiles([]);
  const waits = answersWithinMs === undefined ? {} : { answersWithinMs };
  const prepared = prepareTable({ environment, files, tell: () => undefined, ...waits });
  prepared.catch(() => undefined);
  return { endpoint: proxy.endpoint, prepared };
}

test.concurrent('a start waits for an engine that takes seconds for its first transaction', async ({
  onTestFinished,
}) => {
  let isFirst = true;
  const slowAtFirst: FaultRule = ({ operation }) => {
    if (!isFirst || operation !== 'TransactWriteItems') return undefined;
    isFirst = false;
    return { kind: 'delay', ms: 3500 }; // a function's client gives up after 3.1 s
  };

  const { prepared } = await prepareWith(slowAtFirst, onTestFinished);

  expect((await prepared)[0]?.keys).toHaveProperty('reader');
});

test.concurrent.for(['DescribeTable', 'TransactWriteItems'])(
  'an engine that never answers %s is given up after its time, with one sentence',
  async (silent, { onTestFinished }) => {
    const { endpoint, prepared } = await prepareWith(
      ({ operation }) => (operation === silent ? { kind: 'silence', applied: false } : undefined),
      onTestFinished,
      1500,
    );

    await expect(prepared).rejects.toThrow(
      new CommandError(
        `The engine at ${endpoint} did not answer within 1.5 s: check how busy the machine is and start again, or check --engine.`,
      ),
    );
  },
);

test.concurrent.for<[string, Fault]>([
  [
    'InternalServerError: The request processing has failed because of an unknown error, exception or failure',
    { kind: 'error', error: internalServerError() },
  ],
  ['ECONNRESET: socket hang up', { kind: 'cut', applied: false }],
])(
  'an engine that fails is refused with one sentence: $0',
  async ([reason, fault], { onTestFinished }) => {
    const { endpoint, prepared } = await prepareWith(
      ({ operation }) => (operation === 'TransactWriteItems' ? fault : undefined),
      onTestFinished,
    );

    await expect(prepared).rejects.toThrow(
      new CommandError(
        `The engine at ${endpoint} failed (${reason}): start again, or check --engine.`,
      ),
    );
  },
);

test('after a start whose second settings file was refused, the next start shows the key of the first, by any label', async () => {
  const engine = await startEngine({ engine: 'dynoxide', dataFolder: inMemory });
  onTestFinished(() => engine.stop());
  const prepare = (...organizations: object[]) => {
    const paths = organizations.map((content, at) => {
      const path = newPath(`${at}.json`);
      writeFileSync(path, JSON.stringify(content));
      return path;
    });
    const files = readOrganizationFiles(paths);
    return prepareTable({ environment: engine.environment, files, tell: () => undefined });
  };
  const sources = (...names: string[]) => names.map((name, at) => ({ id: at + 1, name }));
  const key = { label: '__proto__', type: 'application', scopes: ['leads.read'], createdBy: 1 };
  const first = {
    ...{ id: 1, name: 'A', modules: ['crm'], users: [{ id: 1, name: 'Asha' }], pipelines: [] },
    ...{ sources: sources('Website'), fields: [], keys: [key] },
  };
  const second = { ...first, id: 2 };

  await expect(
    prepare(first, { ...second, sources: sources('Fair', 'Fai\u200br') }),
  ).rejects.toThrow(/1\.json: The file has names that look alike/);
  const [prepared] = await prepare(first, second);
  expect(Object.keys(prepared?.keys ?? {})).toEqual(['__proto__']);
});
