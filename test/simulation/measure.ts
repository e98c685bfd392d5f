/** What the simulator costs in processor time: `node test/simulation/measure.ts [requests]`. */
import type { CallerRequest } from './lambda/gateway-event.ts';
import { readService, SimulatedService } from './lambda/given-service.ts';
import { Runtime } from './lambda/runtime.ts';
import { Random } from './random.ts';
import { World } from './world.ts';

const requests = Number(process.argv[2] ?? 3000);

const blocks = 8;

/** Microseconds of processor time, all threads, for each of `count`: the least of several blocks, since other work on the machine only adds. */
async function cpuMicroseconds(
  count: number,
  run: (count: number) => Promise<void> | void,
): Promise<number> {
  const least: number[] = [];
  const size = Math.ceil(count / blocks);
  for (let block = 0; block < blocks; block += 1) {
    const before = process.cpuUsage();
    await run(size);
    const { user, system } = process.cpuUsage(before);
    least.push((user + system) / size);
  }
  return Math.min(...least);
}

function print(what: string, microseconds: number): void {
  console.log(
    `${what.padEnd(64)} ${microseconds.toFixed(1).padStart(9)} us ${Math.round(1e6 / microseconds)
      .toLocaleString('en')
      .padStart(10)} a second`,
  );
}

/** The writes and reads of a capture, sent to the model itself. */
async function measureModel(): Promise<void> {
  const { dynamodb } = new World({ seed: 'model' });
  const TableName = 'leads';
  const Key = { pk: { S: 'USAGE#1' }, sk: { S: 'USAGE' } };
  dynamodb.executeNow('PutItem', {
    TableName,
    Item: { ...Key, used: { N: '0' }, windowEndsAt: { N: '9000000000000' } },
  });
  const takeToken = {
    TableName,
    Key,
    UpdateExpression: 'SET used = used + :one ADD lastLeadId :one',
    ConditionExpression: 'attribute_exists(pk) AND windowEndsAt > :now AND used < :limit',
    ExpressionAttributeValues: {
      ':one': { N: '1' },
      ':now': { N: '1769851800000' },
      ':limit': { N: '1000000000' },
    },
    ReturnValues: 'ALL_NEW',
    ReturnConsumedCapacity: 'TOTAL',
  } as const;
  const count = 40_000;
  let made = 0;
  const update = await cpuMicroseconds(count, (size) => {
    for (let at = 0; at < size; at += 1) dynamodb.executeNow('UpdateItem', takeToken);
  });
  const transact = await cpuMicroseconds(count, (size) => {
    for (let at = 0; at < size; at += 1) {
      made += 1;
      dynamodb.executeNow('TransactWriteItems', captureTransaction(made));
    }
  });
  print('the model: a conditional update', update);
  print('the model: a transaction of five items', transact);
}
function captureTransaction(id: number) {
  const item = (pk: string) => ({
    Put: {
      TableName: 'leads',
      Item: {
        pk: { S: pk },
        sk: { S: String(id).padStart(10, '0') },
        createdAt: { S: '2026-01-31T09:30:00.000Z' },
        leadId: { N: String(id) },
      },
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    },
  });
  return {
    ClientRequestToken: `token-${id}`,
    TransactItems: ['A', 'B', 'C', 'D', 'E'].map((prefix) => item(`${prefix}#${id % 97}`)),
  };
}

type Request = Omit<CallerRequest, 'apiKey'>;

/** Mostly captures, with reads, changes and lists of what was captured. */
function randomRequest(random: Random, at: number): Request {
  const leadId = 1 + random.below(Math.max(1, at / 2));
  const phone = `+9198${String(random.below(200)).padStart(8, '0')}`;
  return random.pick<() => Request>([
    () => ({
      endpoint: 'capture-lead',
      body: { name: 'Asha Rao', phone, email: `asha${phone}@example.com` },
    }),
    () => ({
      endpoint: 'capture-lead',
      body: { name: 'Asha Rao', phone },
      headers: { 'Idempotency-Key': `key-${random.below(50)}` },
    }),
    () => ({ endpoint: 'get-lead', leadId }),
    () => ({
      endpoint: 'update-lead',
      leadId,
      body: { fields: { city: `City ${random.below(9)}` } },
    }),
    () => ({ endpoint: 'list-leads', query: { limit: 20 } }),
    () => ({ endpoint: 'add-note', leadId, body: { text: 'Called back.' } }),
  ])();
}

async function measureRequests(
  what: string,
  bundles: Awaited<ReturnType<typeof readService>>,
  next: typeof randomRequest,
): Promise<void> {
  const random = new Random('measure');
  const service = await SimulatedService.start({ bundles, world: { seed: 'measure' } });
  const { scheduler } = service.world;
  const run = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) {
      await scheduler.drain(scheduler.now + 7000); // the rate limit is 600 requests an hour
      const { endpoint, ...request } = next(random, at);
      await scheduler.run(() => service.invoke(endpoint, request));
    }
  };
  await run(Math.min(requests, 1000));
  print(what, await cpuMicroseconds(requests, run));
}

async function measureColdStarts(bundles: Awaited<ReturnType<typeof readService>>): Promise<void> {
  const { network } = new World({ seed: 'cold' });
  const load = (count: number): void => {
    for (let at = 0; at < count; at += 1)
      new Runtime({ name: `cold ${at}`, network }).load(bundles.functions);
  };
  load(50);
  print('a cold start', await cpuMicroseconds(400, load));
}

/** Histories as they will be: a world of their own each, cold instances included. */
async function measureHistories(bundles: Awaited<ReturnType<typeof readService>>): Promise<void> {
  const history = async (seed: string): Promise<void> => {
    const service = await SimulatedService.start({
      bundles,
      world: { seed, dynamodb: { staleChance: 0.3, hasThroughputLimits: true } },
      functions: { clockSkewMs: 500 },
    });
    const random = new Random(seed);
    const client = async (): Promise<void> => {
      for (let made = 0; made < 10; made += 1) {
        const { endpoint, ...request } = randomRequest(random, made);
        await service.invoke(endpoint, request);
        await service.world.scheduler.sleep(random.below(50));
      }
    };
    await service.world.scheduler.run(() => Promise.all(Array.from({ length: 6 }, client)));
  };
  for (let at = 0; at < 10; at += 1) await history(`warm ${at}`);
  let made = 0;
  const run = async (count: number): Promise<void> => {
    for (let at = 0; at < count; at += 1) {
      made += 1;
      await history(String(made));
    }
  };
  print('a history: 60 requests of 6 clients, a new world', await cpuMicroseconds(80, run));
}

await measureModel();
const bundles = await readService();
await measureColdStarts(bundles);
await measureRequests('a capture', bundles, (_random, at) => ({
  endpoint: 'capture-lead',
  body: {
    name: 'Asha Rao',
    phone: `+9197${String(at).padStart(8, '0')}`,
    email: `a${at}@example.com`,
  },
}));
await measureRequests('a request of a mix', bundles, randomRequest);
await measureHistories(bundles);
