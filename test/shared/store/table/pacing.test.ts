import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import {
  BatchGetCommand,
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  ScanCommand,
} from '@aws-sdk/lib-dynamodb';
import { type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import { expect, test } from 'vitest';
import { withPacedReads } from '../../../../shared/store/table/pacing.ts';

/** A table whose every request consumes the same units. */
function tableConsuming(units: number) {
  const requests: { at: number }[] = [];
  const handle = async ({ headers }: HttpRequest) => {
    requests.push({ at: performance.now() });
    const consumed = { TableName: 'leads', CapacityUnits: units };
    const isBatch = headers['x-amz-target']?.endsWith('BatchGetItem');
    const body = JSON.stringify({ ConsumedCapacity: isBatch ? [consumed] : consumed });
    return {
      response: new HttpResponse({ statusCode: 200, headers: {}, body: Buffer.from(body) }),
    };
  };
  const client = new DynamoDBClient({
    region: 'local',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    requestHandler: { handle, metadata: { handlerProtocol: 'http/1.1' } } as never,
  });
  return { table: { client: DynamoDBDocumentClient.from(client), name: 'leads' }, requests };
}

/** Pacing starts at the first response, later than the first request: a busy machine makes the span longer and never shorter. */
const spanMs = (requests: readonly { at: number }[]): number =>
  (requests.at(-1)?.at ?? 0) - (requests[0]?.at ?? 0);

test('parallel reads of every kind share the rate, after a first page each', async () => {
  const { table, requests } = tableConsuming(50);
  const { client, name: TableName } = withPacedReads(table, 500);
  const Key = { pk: 'a', sk: 'b' };
  const segment = async () => {
    await client.send(new ScanCommand({ TableName }));
    await client.send(new QueryCommand({ TableName }));
    await client.send(new GetCommand({ TableName, Key }));
    await client.send(new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [Key] } } }));
  };

  await Promise.all([segment(), segment()]);

  expect(requests).toHaveLength(8);
  expect(spanMs(requests)).toBeGreaterThan(590); // 6 x 50 units at 500 per second
});

test('writes are not delayed, and reads of the original table are not either', async () => {
  const { table, requests } = tableConsuming(1000);
  const paced = withPacedReads(table, 1);
  const item = { pk: 'a', sk: 'b' };

  await paced.client.send(new GetCommand({ TableName: paced.name, Key: item }));
  await paced.client.send(new PutCommand({ TableName: paced.name, Item: item }));
  await table.client.send(new GetCommand({ TableName: table.name, Key: item }));

  expect(requests).toHaveLength(3);
});
