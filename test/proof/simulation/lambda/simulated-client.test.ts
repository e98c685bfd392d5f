import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { beforeAll, describe, expect, test } from 'vitest';
import { clientTimeouts, sdkDefaults } from '../../../../shared/store/table/client.ts';
import {
  answerTo,
  type SentRequest,
  type SimulatedDynamodb,
} from '../../../dynamodb-model/dynamodb-model.ts';
import { SimulatedBus } from '../events/publish-history.ts';
import { type CallInfo, callFaults, type Fault } from '../network.ts';
import { Scheduler } from '../scheduler.ts';
import { Simulation } from '../simulation.ts';
import { sharedPackages } from './packages.ts';
import { currentProcess, Runtime } from './runtime.ts';

type Members = typeof import('@aws-sdk/client-dynamodb');
let simulated: Members;
let documents: typeof import('@aws-sdk/lib-dynamodb');
let events: typeof import('@aws-sdk/client-eventbridge');
beforeAll(async () => {
  const packages = await sharedPackages();
  simulated = packages['@aws-sdk/client-dynamodb'] as Members;
  documents = packages['@aws-sdk/lib-dynamodb'] as typeof documents;
  events = packages['@aws-sdk/client-eventbridge'] as typeof events;
}, 60_000);

const timeoutMs = 1000;

/** For the package's own clients, which use JSON and HTTP. Given every setting, they read no files: a read would take real time, but no simulated time. */
function wholeClientOptions() {
  const handle = (sent: SentRequest, { abortSignal }: { abortSignal?: AbortSignal }) =>
    answerTo(sent, (operation, request) =>
      currentProcess().connection.call(operation, request, { abortSignal, timeoutMs }),
    );
  return {
    ...sdkDefaults,
    ...clientTimeouts(timeoutMs),
    region: 'ap-south-1',
    endpoint: 'http://aws.simulated',
    credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
    disableClockSkewCorrection: false,
    endpointDiscoveryEnabled: false,
    userAgentAppId: async () => undefined,
    sigv4aSigningRegionSet: [],
    signer: { sign: async (request: unknown) => request },
    requestHandler: { handle, metadata: { handlerProtocol: 'http/1.1' } },
  };
}
const whole = <T extends object>(members: T): T => Object.getPrototypeOf(members);
const wholeClient = () => new (whole(simulated).DynamoDBClient)(wholeClientOptions() as never);
const simulatedClient = () => new simulated.DynamoDBClient(clientTimeouts(timeoutMs));

const TableName = 'leads';
const key = (sk: string) => ({ pk: 'P', sk });
const table = { TableName, ReturnConsumedCapacity: 'TOTAL' } as const;
const item = {
  ...key('a'),
  n: 1,
  text: 'é',
  no: undefined,
  nothing: null,
  list: [{ is: true }, []],
};
const absent = { ConditionExpression: 'attribute_not_exists(pk)' };
const showing = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const;

/** Commands that use every operation of the service, some of which DynamoDB refuses. */
function* everyCommand() {
  yield new documents.PutCommand({ ...table, Item: item });
  yield new documents.PutCommand({ ...table, Item: item, ...absent, ...showing });
  yield new documents.UpdateCommand({
    ...table,
    Key: key('a'),
    UpdateExpression: 'SET n = n + :one REMOVE nothing',
    ExpressionAttributeValues: { ':one': 1 },
    ReturnValues: 'ALL_NEW',
  });
  yield new documents.GetCommand({ ...table, Key: key('a'), ConsistentRead: true });
  yield new documents.GetCommand({ ...table, Key: key('missing') });
  yield new documents.GetCommand({ ...table, Key: { pk: 'P' } });
  yield new documents.GetCommand({ TableName: 'missing', Key: key('a') });
  yield new documents.DeleteCommand({ ...table, Key: key('missing'), ...absent });
  const puts = ['b', 'c'].map((sk) => ({ PutRequest: { Item: { ...item, ...key(sk) } } }));
  yield new documents.BatchWriteCommand({ RequestItems: { [TableName]: puts } });
  const Keys = [key('a'), key('b'), key('missing')];
  yield new documents.BatchGetCommand({ RequestItems: { [TableName]: { Keys } } });
  const query = {
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'P' },
  };
  yield new documents.QueryCommand({ ...table, ...query, Limit: 1 });
  yield new documents.ScanCommand({ ...table, ExclusiveStartKey: key('a') });
  const Delete = { TableName, Key: key('c') };
  const Put = { TableName, Item: item, ...absent, ...showing };
  for (const ClientRequestToken of [undefined, 'token', 'token'])
    yield new documents.TransactWriteCommand({ ClientRequestToken, TransactItems: [{ Delete }] });
  yield new documents.TransactWriteCommand({ TransactItems: [{ Delete }, { Put }] });
  yield new documents.TransactGetCommand({
    TransactItems: [{ Get: { TableName, Key: key('a') } }, { Get: Delete }],
  });
  yield new simulated.DescribeTableCommand({ TableName });
}

/** All that a caller sees of an error; `__type` is its name once more, as the protocol writes it. */
const seen = (error: Error) => ({
  ...error,
  message: error.message,
  class: error.constructor,
  __type: undefined,
});

/** The outcome of every command, and when it came. */
async function outcomesOf(
  open: () => DynamoDBClient,
  faultOf: (call: CallInfo) => Fault,
): Promise<unknown[]> {
  const simulation = new Simulation({ seed: 'clients', faultOf });
  const process = new Runtime({ name: 'a process', network: simulation });
  const outcomes: unknown[] = [];
  await simulation.scheduler.run(() =>
    process.run(async () => {
      const marshallOptions = { removeUndefinedValues: true };
      const client = documents.DynamoDBDocumentClient.from(open(), { marshallOptions });
      for (const command of everyCommand())
        outcomes.push([await client.send(command as never).catch(seen), process.now]);
      const aborting = new AbortController();
      simulation.scheduler.after(0.1, 'abort', () => aborting.abort());
      const get = new documents.GetCommand({ ...table, Key: key('a') });
      outcomes.push([await client.send(get, { abortSignal: aborting.signal }).catch(seen)]);
    }),
  );
  return outcomes;
}

/** A process that dies gets no answer. */
const faults = callFaults.filter((fault) => !fault.startsWith('death'));

/** The outcomes of requests to a bus that refuses some of their entries. */
async function busOutcomesOf(open: () => EventBridgeClient, fault: Fault): Promise<unknown[]> {
  const scheduler = new Scheduler({ seed: 'clients' });
  const bus = new SimulatedBus(scheduler.randomFor('bus'), 0.4);
  const network = {
    scheduler,
    dynamodb: bus as unknown as SimulatedDynamodb,
    latency: () => 5,
    faultOf: ({ number }: CallInfo) => (number % 2 === 0 ? fault : 'none'),
  };
  const process = new Runtime({ name: 'a process', network });
  const outcomes: unknown[] = [];
  const entry = { Source: 'leads', DetailType: 'a change', Time: new Date(0), Detail: '{"é":1}' };
  await scheduler.run(() =>
    process.run(async () => {
      const client = open();
      for (const size of [1, 2, 10]) {
        const command = new events.PutEventsCommand({ Entries: Array(size).fill(entry) });
        outcomes.push([await client.send(command).catch(seen), process.now]);
      }
    }),
  );
  return [...outcomes, bus.events];
}

describe("has the same results and errors at the same simulated times as the SDK's client", () => {
  test.for(faults)('at each operation, when calls meet: %s', async (fault) => {
    const often = (rate: number) => (call: CallInfo) => (call.number % rate === 0 ? 'none' : fault);
    for (const rate of [2, 5]) {
      const expected = await outcomesOf(wholeClient, often(rate));

      expect(await outcomesOf(simulatedClient, often(rate))).toEqual(expected);
      expect(expected).toHaveLength(19);
    }
  });

  test.for(['none', 'reset after', 'internal error after', 'throttled', 'silence'] as const)(
    'at PutEvents, which accepts some entries and refuses others, when calls meet: %s',
    async (fault) => {
      const wholeBusClient = () =>
        new (whole(events).EventBridgeClient)(wholeClientOptions() as never);
      const expected = await busOutcomesOf(wholeBusClient, fault);

      const simulatedBusClient = () =>
        new events.EventBridgeClient(clientTimeouts(timeoutMs) as never);
      expect(await busOutcomesOf(simulatedBusClient, fault)).toEqual(expected);
      expect(JSON.stringify(expected)).toMatch(/"FailedEntryCount":[1-9]/);
    },
  );
});
