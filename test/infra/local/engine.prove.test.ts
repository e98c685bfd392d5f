import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { networkInterfaces } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  BatchGetItemCommand,
  DescribeTableCommand,
  DynamoDBClient,
  TransactWriteItemsCommand,
} from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { errorCode } from '../../../infra/cli/error-code.ts';
import { clientConfig, type TableEnvironment } from '../../../infra/cli/table.ts';
import { dynamodbLocal } from '../../../infra/local/dynamodb-local.ts';
import { dynoxide } from '../../../infra/local/dynoxide.ts';
import {
  type Engine,
  lockFolder,
  startEngine,
  startEngineProcess,
} from '../../../infra/local/engine.ts';
import { tableDefinition } from '../../../shared/store/table/table-definition.ts';
import { node24, projectFolder } from '../../support/service-process.ts';
import { useFolder } from '../given-folder.ts';
import { enginePid, isAlive } from './engine-process.ts';

/** Runs TypeScript in a process of its own, in the project's folder. @returns it and its first line, once it has printed that */
async function startOwner(code: string): Promise<{ child: ChildProcess; line: string }> {
  const child = spawn(node24, ['--input-type=module-typescript', '-e', code], {
    cwd: projectFolder,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [line] = await once(child.stdout, 'data');
  return { child, line: String(line) };
}

const files = useFolder();

const hasJava = (await dynamodbLocal.missing()) === undefined;
const engines = [
  { engine: 'dynoxide', isDurable: true, promised: 'every write' },
  {
    engine: 'dynamodb-local',
    isDurable: false,
    promised: 'every write but those of the last moment',
  },
].filter(({ engine }) => engine === 'dynoxide' || hasJava);

describe.each(engines)('$engine', ({ engine, isDurable, promised }) => {
  // All tests share two starts, because Java takes seconds to start.
  let dataFolder: string;
  let owner: ChildProcess;
  let client: DynamoDBClient;
  let first: TableEnvironment;
  let next: Engine | undefined;
  beforeAll(async () => {
    dataFolder = files.newFolder('db');
    const code = `
      import { startEngine } from './infra/local/engine.ts';
      import { createTable } from './infra/cli/table.ts';
      const { environment } = await startEngine({ engine: '${engine}', dataFolder: '${dataFolder}' });
      await Promise.all([createTable(environment), createTable(environment)]);
      console.log(JSON.stringify(environment));`;
    const { child, line } = await startOwner(code);
    owner = child;
    first = JSON.parse(line);
    client = new DynamoDBClient(clientConfig(first));
  }, 60_000);
  afterAll(async () => {
    owner.kill('SIGKILL');
    client.destroy();
    await next?.stop();
  });

  test(`${engine} makes the table with its indexes, again without harm, on loopback alone`, async () => {
    const { Table } = await client.send(new DescribeTableCommand({ TableName: first.LEADS_TABLE }));

    expect(Table?.TableStatus).toBe('ACTIVE');
    expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName).sort()).toEqual(
      tableDefinition.indexes.map(({ name }) => name).sort(),
    );
    const port = portOf(first.AWS_ENDPOINT_URL_DYNAMODB);
    expect(await canConnect('127.0.0.1', port)).toBe(true);
    for (const address of ownAddresses()) expect(await canConnect(address, port)).toBe(false);
  });

  test(`${engine} keeps ${promised} through a kill -9`, {
    timeout: 60_000,
  }, async () => {
    const pid = enginePid(dataFolder);
    const children = execFileSync('pgrep', ['-P', String(owner.pid)], { encoding: 'utf8' });
    const guards = children.split('\n').filter((line) => line !== '' && Number(line) !== pid);
    expect(guards).toHaveLength(1);
    for (let number = 0; number < 20; number += 1) await writePair(client, number);
    if (!isDurable) await pause(1000);
    for (let number = 20; number < 30; number += 1) await writePair(client, number);
    process.kill(pid, 'SIGKILL');
    for (const victim of [...guards.map(Number), owner.pid!]) killUnlessEnded(victim);

    next = await startEngine({ engine, dataFolder });

    const kept = await partsOfPairs(next.environment, 30);
    expect(kept.slice(0, isDurable ? 30 : 20)).toEqual(
      Array.from({ length: isDurable ? 30 : 20 }, () => 2),
    );
    expect(kept.filter((parts) => parts === 1)).toEqual([]);
  });

  test.runIf(isDurable)(
    `${engine} has every write of an earlier engine that still runs on the same data`,
    {
      timeout: 60_000,
    },
    async () => {
      const left = next!;
      const ofLeft = new DynamoDBClient(clientConfig(left.environment));
      await writePair(ofLeft, 31);

      const second = await startEngineProcess(dynoxide.program(45_671, join(dataFolder, engine)));

      if (!('endpoint' in second)) throw new Error(second.failure);
      onTestFinished(() => second.stop());
      const environment = {
        ...left.environment,
        AWS_ENDPOINT_URL_DYNAMODB: second.endpoint,
      };
      await writePair(ofLeft, 32);
      ofLeft.destroy();
      await left.stop();
      expect(await canConnect('127.0.0.1', portOf(left.endpoint))).toBe(false);
      expect((await partsOfPairs(environment, 33)).slice(31)).toEqual([2, 2]);
    },
  );
});

const portOf = (endpoint: string): number => Number(new URL(endpoint).port);

/** A guard ends by itself when its engine does, and its service has nothing left to wait for then. */
function killUnlessEnded(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if (errorCode(error) !== 'ESRCH') throw error;
  }
}

test('five starts at the same moment get five engines', { timeout: 30_000 }, async () => {
  const running = await Promise.all(
    Array.from({ length: 5 }, () => startEngine({ engine: 'dynoxide', dataFolder: ':memory:' })),
  );

  expect(new Set(running.map(({ endpoint }) => endpoint)).size).toBe(5);
  await Promise.all(running.map(({ stop }) => stop()));
});

test('an engine that ignores SIGTERM ends too when the process that started it is killed', {
  timeout: 15_000,
}, async () => {
  const pidFile = files.path('guarded.pid');
  const code = `
    import { startEngineProcess } from './infra/local/engine.ts';
    await startEngineProcess({ command: 'sh',
      args: ['-c', 'trap "" TERM; echo $$ > ${pidFile}; echo listening on http://127.0.0.1:1; while :; do sleep 0.1; done'],
      readyWithinMs: 5000 });
    console.log('up');`;
  const { child: owner } = await startOwner(code);
  const pid = Number(readFileSync(pidFile, 'utf8'));

  owner.kill('SIGKILL');

  await expect.poll(() => isAlive(pid), { timeout: 5000 }).toBe(false);
});

test.each([
  [
    'ends before it is ready',
    { command: 'sh', args: ['-c', 'echo address already in use >&2; exit 3'], readyWithinMs: 5000 },
    'ended at once: address already in use',
  ],
  ['has no program', { command: '/nowhere/nothing', args: [], readyWithinMs: 5000 }, 'ENOENT'],
  [
    'is never ready',
    { command: 'sleep', args: ['60'], readyWithinMs: 200 },
    'not ready after 0.2 s',
  ],
])('an engine that %s is ended, and reported with its last output', async (_, start, failure) => {
  expect(await startEngineProcess(start)).toEqual({ failure: expect.stringContaining(failure) });
});

test('a data folder belongs to one process until it is released', async () => {
  const dataFolder = files.newFolder('db');
  const code = `
    import { lockFolder } from './infra/local/engine.ts';
    globalThis.unlock = lockFolder('${dataFolder}'); // a lock that nothing refers to is collected
    console.log('taken'); setInterval(() => undefined, 1000);`;
  const { child: owner } = await startOwner(code);
  onTestFinished(() => void owner.kill('SIGKILL'));

  expect(() => lockFolder(dataFolder)).toThrow(
    `another service (process ${owner.pid}) is using this folder`,
  );
  const exited = once(owner, 'exit');
  owner.kill('SIGKILL');
  await exited;
  lockFolder(dataFolder)();
});

const keyOf = (number: number, part: number) => ({
  pk: { S: 'PAIR' },
  sk: { S: `${number}-${part}` },
});

/** Two items in one transaction, acknowledged. */
async function writePair(client: DynamoDBClient, number: number): Promise<void> {
  const puts = [0, 1].map((part) => ({ Put: { TableName: 'leads', Item: keyOf(number, part) } }));
  await client.send(new TransactWriteItemsCommand({ TransactItems: puts }));
}

/** How many of each transaction's two items are there. */
async function partsOfPairs(environment: TableEnvironment, count: number): Promise<number[]> {
  const client = new DynamoDBClient(clientConfig(environment));
  const parts = Array.from({ length: count }, async (_, number) => {
    const Keys = [keyOf(number, 0), keyOf(number, 1)];
    const { Responses } = await client.send(
      new BatchGetItemCommand({ RequestItems: { leads: { Keys, ConsistentRead: true } } }),
    );
    return Responses?.leads?.length ?? 0;
  });
  return Promise.all(parts).finally(() => client.destroy());
}

const ownAddresses = (): string[] =>
  Object.values(networkInterfaces())
    .flatMap((all) => all ?? [])
    .filter(({ internal, family }) => !internal && family === 'IPv4')
    .map(({ address }) => address);

async function canConnect(host: string, port: number): Promise<boolean> {
  const socket = connect(port, host);
  const outcome = await Promise.race([
    once(socket, 'connect').then(() => true),
    once(socket, 'error').then(() => false),
  ]).catch(() => false);
  socket.destroy();
  return outcome;
}
