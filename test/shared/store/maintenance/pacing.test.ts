import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, GetCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { HttpResponse } from '@smithy/core/protocols';
import { expect, test } from 'vitest';
import { withPacedReads } from '../../../../shared/store/maintenance/pacing.ts';

/** A table whose every request consumes the same units. Each request is timed from now. */
function tableConsuming(units: number) {
  const startedAt = performance.now();
  const requests: { at: number }[] = [];
  const handle = async () => {
    requests.push({ at: performance.now() - startedAt });
    const body = JSON.stringify({
      ConsumedCapacity: { TableName: 'leads', CapacityUnits: units },
    });
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

/** From before the first read, so that a busy machine makes it longer and never shorter. */
const spanMs = (requests: readonly { at: number }[]): number => requests.at(-1)?.at ?? 0;

test('parallel reads share the rate, after a first page each', async () => {
  const { table, requests } = tableConsuming(50);
  const { client, name } = withPacedReads(table, 2000);
  const segment = async () => {
    for (let read = 0; read < 4; read += 1) await client.send(new ScanCommand({ TableName: name }));
  };

  await Promise.all([segment(), segment()]);

  expect(requests).toHaveLength(8);
  expect(spanMs(requests)).toBeGreaterThan(140); // 6 x 50 units at 2,000 per second
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
