import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { GetCommand, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { failedOperation } from '../../../../shared/failed-operation.ts';
import { clientTimeouts, openTable, type Table } from '../../../../shared/store/table/client.ts';
import {
  noConsumedCapacity,
  withCapacityMetering,
} from '../../../../shared/store/table/consumed-capacity.ts';
import { startRunningTime } from '../../../support/busy-machine.ts';

/** The functions wait for a second; the client's behaviour at less is the same. */
const timeoutMs = 300;

/** A DynamoDB whose responses the test sets, and the client of the functions. */
let server: Server;
let table: Table;
let attempts: number;
let connections: Set<Socket>;
let answer: (response: ServerResponse) => unknown;
beforeEach(async () => {
  attempts = 0;
  connections = new Set();
  server = createServer((request, response) => {
    attempts += 1;
    connections.add(request.socket);
    request.resume().once('end', () => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  table = openTable('leads', {
    ...clientTimeouts(timeoutMs),
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'ap-south-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });
});
afterEach(() => {
  table.client.destroy();
  server.closeAllConnections();
  server.close();
});

const head = { 'content-type': 'application/x-amz-json-1.0' };
const get = () =>
  table.client.send(new GetCommand({ TableName: 'leads', Key: { pk: 'a', sk: 'b' } }));

async function failsAfter(): Promise<{ name: string; ms: number; runningMs: number }> {
  const begunAt = performance.now();
  const endRunningTime = startRunningTime();
  const { name } = await get().then(
    () => ({ name: 'none' }),
    (error: Error) => error,
  );
  return { name, ms: performance.now() - begunAt, runningMs: endRunningTime() };
}

describe('a call is tried three times, for its time-out each', () => {
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
    answer = silence;

    const { name, ms, runningMs } = await failsAfter();

    expect({ name, attempts }).toEqual({ name: 'TimeoutError', attempts: 3 });
    expect(ms).toBeGreaterThan(3 * timeoutMs - 100);
    expect(runningMs).toBeLessThan(3 * timeoutMs + 1500);
  });
});

test('a body that stalls once costs one time-out, and the call succeeds', async () => {
  answer = (response) => {
    if (attempts === 1)
      response.writeHead(200, { ...head, 'content-length': 100 }).write('{"Item":{');
    else response.writeHead(200, head).end('{"Item":{"pk":{"S":"a"}}}');
  };

  expect((await get()).Item).toEqual({ pk: 'a' });
  expect(attempts).toBe(2);
});

test('a connection is reused after an idle time longer than a call may take', {
  timeout: 10_000,
}, async () => {
  answer = (response) => response.writeHead(200, head).end('{}');

  for (let calls = 0; calls < 3; calls += 1) {
    await get();
    await pause(1.5 * timeoutMs);
  }

  expect({ attempts, connections: connections.size }).toEqual({ attempts: 3, connections: 1 });
});

test('an error of DynamoDB is known by its operation, through the document client of a request', async () => {
  answer = (response) =>
    response
      .writeHead(400, head)
      .end(
        JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException' }),
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
