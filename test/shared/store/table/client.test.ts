import { createServer, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { GetCommand, type GetCommandOutput, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { listen } from '../../../../infra/cli/listen.ts';
import { failedOperation } from '../../../../shared/observability/failed-operation.ts';
import { clientTimeouts, openTable, type Table } from '../../../../shared/store/table/client.ts';
import {
  noConsumedCapacity,
  withCapacityMetering,
} from '../../../../shared/store/table/consumed-capacity.ts';
import { startRunningTime } from '../../../support/busy-machine.ts';

/** The functions wait for a second; the client's behaviour at less is the same. */
const timeoutMs = 300;

/** A DynamoDB whose responses the test sets, and the client of the functions. */
interface GivenDynamodb {
  readonly table: Table;
  /** The requests so far, and the connections that they came on. */
  readonly seen: { attempts: number; readonly connections: Set<Socket> };
  get(): Promise<GetCommandOutput>;
}

const ends: (() => void)[] = [];
afterAll(() => {
  for (const end of ends) end();
});

/** @param answer gets each response, and the number of its request */
async function givenDynamodb(
  answer: (response: ServerResponse, attempt: number) => unknown,
  requestTimeoutMs = timeoutMs,
): Promise<GivenDynamodb> {
  const seen = { attempts: 0, connections: new Set<Socket>() };
  const server = createServer((request, response) => {
    seen.attempts += 1;
    const attempt = seen.attempts;
    seen.connections.add(request.socket);
    request.resume().once('end', () => answer(response, attempt));
  });
  const port = await listen(server, 0);
  const table = openTable('leads', {
    ...clientTimeouts(requestTimeoutMs),
    endpoint: `http://127.0.0.1:${port}`,
    region: 'ap-south-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
  ends.push(() => {
    table.client.destroy();
    server.closeAllConnections();
    server.close();
  });
  const get = () =>
    table.client.send(new GetCommand({ TableName: 'leads', Key: { pk: 'a', sk: 'b' } }));
  return { table, seen, get };
}

const head = { 'content-type': 'application/x-amz-json-1.0' };

async function failsAfter({
  get,
}: GivenDynamodb): Promise<{ name: string; ms: number; runningMs: number }> {
  const begunAt = performance.now();
  const endRunningTime = startRunningTime();
  const { name } = await get().then(
    () => ({ name: 'none' }),
    (error: Error) => error,
  );
  return { name, ms: performance.now() - begunAt, runningMs: endRunningTime() };
}

// They wait for time-outs: all at once.
describe.concurrent('a call is tried three times, for its time-out each', () => {
  const silences: [string, (response: ServerResponse) => unknown][] = [
    ['does not answer', () => undefined],
    [
      'sends headers and no body',
      (response) => response.writeHead(200, { ...head, 'content-length': 100 }).flushHeaders(),
    ],
    [
      'sends half of the body',
      (response) => response.writeHead(200, { ...head, 'content-length': 100 }).write('{"Item":{'),
    ],
  ];
  test.each(silences)('a call is tried three times when DynamoDB %s', async (_, silence) => {
    const dynamodb = await givenDynamodb(silence);

    const { name, ms, runningMs } = await failsAfter(dynamodb);

    expect({ name, attempts: dynamodb.seen.attempts }).toEqual({
      name: 'TimeoutError',
      attempts: 3,
    });
    expect(ms).toBeGreaterThan(3 * timeoutMs - 100);
    expect(runningMs).toBeLessThan(3 * timeoutMs + 1500);
  });

  test('a body that stalls once costs one time-out, and the call succeeds', async () => {
    const { get, seen } = await givenDynamodb((response, attempt) => {
      if (attempt === 1)
        response.writeHead(200, { ...head, 'content-length': 100 }).write('{"Item":{');
      else response.writeHead(200, head).end('{"Item":{"pk":{"S":"a"}}}');
    });

    expect((await get()).Item).toEqual({ pk: 'a' });
    expect(seen.attempts).toBe(2);
  });

  test('a connection is reused after an idle time longer than a call may take', async () => {
    const functionTimeoutMs = 1000; // with less, a call that a busy machine holds up is tried again
    const { get, seen } = await givenDynamodb(
      (response) => response.writeHead(200, head).end('{}'),
      functionTimeoutMs,
    );

    await get();
    await pause(1.5 * functionTimeoutMs);
    await get();

    expect({ attempts: seen.attempts, connections: seen.connections.size }).toEqual({
      attempts: 2,
      connections: 1,
    });
  });
});

test('an error of DynamoDB is known by its operation, through the document client of a request', async () => {
  const { table } = await givenDynamodb((response) =>
    response
      .writeHead(400, head)
      .end(
        JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException' }),
      ),
  );
  const { client } = withCapacityMetering(table, noConsumedCapacity());
  const key = { TableName: 'leads', Key: { pk: 'a', sk: 'b' } };

  const operations = await Promise.all(
    [
      client.send(new GetCommand(key)),
      client.send(new TransactWriteCommand({ TransactItems: [{ Delete: key }] })),
    ].map((sent) => sent.then(() => undefined, failedOperation)),
  );

  expect(operations).toEqual(['GetItem', 'TransactWriteItems']);
});

test('the table of an administrator is at the endpoint that the variables of the AWS SDK choose', async () => {
  vi.stubEnv('AWS_USE_FIPS_ENDPOINT', 'true');
  vi.stubEnv('AWS_USE_DUALSTACK_ENDPOINT', 'true');
  onTestFinished(() => void vi.unstubAllEnvs());
  const { client } = openTable('leads', { region: 'us-east-1' });
  ends.push(() => client.destroy());

  const chosen = [
    await client.config.useFipsEndpoint(),
    await client.config.useDualstackEndpoint(),
  ];

  expect(chosen).toEqual([true, true]);
});
