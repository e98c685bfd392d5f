import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  QueryCommand,
  TransactWriteCommand,
  UpdateCommand,
} from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { clearCredentialCache } from '@smithy/signature-v4';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { openTable } from '../../../../shared/store/table/client.ts';
import {
  noConsumedCapacity,
  withCapacityMetering,
} from '../../../../shared/store/table/consumed-capacity.ts';

/** A DynamoDB that notes what it is sent, and answers with the partition key that it is asked for. */
let server: Server;
let config: ConstructorParameters<typeof DynamoDBClient>[0];
let sent: { headers: Record<string, unknown>; text: string; body: Record<string, unknown> }[];
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const sentText = await text(request);
    const body = JSON.parse(sentText);
    sent.push({ headers: request.headers, text: sentText, body });
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' });
    const units = body.ReturnConsumedCapacity && { ConsumedCapacity: { CapacityUnits: 1 } };
    response.end(JSON.stringify({ ...(body.Key && { Item: body.Key }), ...units }));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  config = {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    region: 'ap-south-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local', sessionToken: 'session' },
  };
});
beforeEach(() => {
  sent = [];
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

const commands = () => [
  new GetCommand({ TableName: 'leads', Key: { pk: 'a', sk: 'b' } }),
  new UpdateCommand({
    TableName: 'leads',
    Key: { pk: 'a', sk: 'b' },
    UpdateExpression: 'SET used = :one',
    ExpressionAttributeValues: { ':one': 1 },
  }),
  new QueryCommand({
    TableName: 'leads',
    KeyConditionExpression: 'pk = :pk',
    ExpressionAttributeValues: { ':pk': 'a' },
  }),
  new TransactWriteCommand({
    TransactItems: [
      { Put: { TableName: 'leads', Item: { pk: 'a', list: [1, undefined], no: undefined } } },
    ],
    ClientRequestToken: 'token',
  }),
];

/** @param date such as 20261122T060000Z */
const dateOf = (date: unknown): Date =>
  new Date(String(date).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z'));

/** What of a request differs from one call to the next, or only tells AWS which program calls. */
const ownOfCall = /^(authorization|x-amz-date|amz-sdk-invocation-id|user-agent|x-amz-user-agent)$/;
const comparable = () =>
  sent.map(({ headers, body }) => ({
    headers: Object.fromEntries(Object.entries(headers).filter(([name]) => !ownOfCall.test(name))),
    body,
  }));

test('the client of a table sends what the SDK’s own client sends, with the first call of a command and with later ones', async () => {
  const own = DynamoDBDocumentClient.from(new DynamoDBClient({ ...config, maxAttempts: 3 }), {
    marshallOptions: { removeUndefinedValues: true },
  });
  const { client } = openTable('leads', config);
  for (const command of [...commands(), ...commands()]) await own.send(command as GetCommand);
  const expected = comparable();
  sent = [];

  for (const command of [...commands(), ...commands()]) await client.send(command as GetCommand);

  expect(comparable().map(({ body }) => body)).toEqual(expected.map(({ body }) => body));
  expect(comparable().map(({ headers }) => headers)).toEqual(
    expected.map(({ headers }) => headers),
  );
});

test('each request of a table has the signature that the SDK’s own signer makes of it', async () => {
  const signer = await new DynamoDBClient({ ...config }).config.signer();
  const { client } = openTable('leads', config);

  for (const command of [...commands(), ...commands()]) await client.send(command as GetCommand);

  clearCredentialCache(); // the key of the day, which the table's client has derived
  for (const { headers, text: body } of sent) {
    const authorization = String(headers.authorization);
    const [, names = ''] = /SignedHeaders=([^,]*host[^,]*x-amz-target)/.exec(authorization) ?? [];
    const request = {
      method: 'POST',
      protocol: 'http:',
      hostname: '127.0.0.1',
      path: '/',
      headers: Object.fromEntries(names.split(';').map((name) => [name, String(headers[name])])),
      body,
    };
    const signed = await signer.sign(request, { signingDate: dateOf(headers['x-amz-date']) });
    expect(signed.headers.authorization).toBe(authorization);
  }
});

test('parallel calls of one command have their own input, response and metering', async () => {
  const table = openTable('leads', config);
  const metered = ['a', 'b', 'c'].map((pk) => {
    const consumed = noConsumedCapacity();
    return { pk, consumed, client: withCapacityMetering(table, consumed).client };
  });

  const items = await Promise.all(
    metered.map(async ({ pk, client }) => {
      const { Item } = await client.send(new GetCommand({ TableName: 'leads', Key: { pk } }));
      return Item;
    }),
  );

  expect(items).toEqual([{ pk: 'a' }, { pk: 'b' }, { pk: 'c' }]);
  expect(metered.map(({ consumed }) => consumed.calls)).toEqual([1, 1, 1]);
  expect(metered.map(({ consumed }) => consumed.readUnits)).toEqual([1, 1, 1]);
});

test('the endpoint of a table that is named by the ARN of another account is that account’s, before and after other calls', async () => {
  const hosts: unknown[] = [];
  const { client } = openTable('leads', {
    region: 'ap-south-1',
    credentials: { accessKeyId: 'id', secretAccessKey: 'secret', accountId: '111111111111' },
    requestHandler: {
      handle: async ({ hostname }: { hostname: string }) => {
        hosts.push(hostname);
        return {
          response: new HttpResponse({ statusCode: 200, headers: {}, body: Buffer.from('{}') }),
        };
      },
    },
  });
  const arn = 'arn:aws:dynamodb:ap-south-1:222222222222:table/leads';
  for (const TableName of [arn, 'leads', 'leads', arn, 'leads'])
    await client.send(new GetCommand({ TableName, Key: { pk: 'a' } }));

  const hostOf = (account: string): string => `${account}.ddb.ap-south-1.amazonaws.com`;
  const [own, other] = [hostOf('111111111111'), hostOf('222222222222')];
  expect(hosts).toEqual([other, own, own, other, own]);
});
