import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import {
  DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { GivenDynamodb, TableName } from './given-dynamodb.ts';
import { requestHandlerFor } from './request-handler.ts';

const documentClient = (dynamodb: GivenDynamodb): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      region: 'ap-south-1',
      endpoint: 'http://dynamodb.simulated',
      credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
      requestHandler: requestHandlerFor(dynamodb.model),
    }),
  );

test('a real client reads what it wrote, of every type', async () => {
  const client = documentClient(new GivenDynamodb());
  const Item = {
    ...{
      pk: 'p',
      sk: 'a',
      text: 'Zürich 😀',
      number: 1.5,
      yes: true,
      nothing: null,
      list: [1, 'two', { three: 3 }],
    },
    bytes: new Uint8Array([1, 2, 255]),
    set: new Set(['x', 'y']),
  };
  await client.send(new PutCommand({ TableName, Item }));

  const { Item: read } = await client.send(
    new GetCommand({ TableName, Key: { pk: 'p', sk: 'a' } }),
  );
  expect({ ...read, bytes: new Uint8Array(read?.bytes) }).toEqual(Item);
});

test('a real client throws the exceptions of DynamoDB, with what they carry', async () => {
  const client = documentClient(new GivenDynamodb());
  const put = {
    TableName,
    Item: { pk: 'p', sk: 'a' },
    ConditionExpression: 'attribute_not_exists(pk)',
  };
  const asked = { ...put, ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const };
  await client.send(new PutCommand(put));

  const failed = await client.send(new PutCommand(asked)).catch((error: unknown) => error);
  expect(failed).toBeInstanceOf(ConditionalCheckFailedException);
  expect(failed).toMatchObject({ Item: { pk: { S: 'p' } }, $metadata: { httpStatusCode: 400 } });

  const cancelled = await client
    .send(new TransactWriteCommand({ TransactItems: [{ Put: asked }] }))
    .catch((error: unknown) => error);
  expect(cancelled).toBeInstanceOf(TransactionCanceledException);
  expect(cancelled).toMatchObject({
    CancellationReasons: [{ Code: 'ConditionalCheckFailed', Item: { pk: { S: 'p' } } }],
  });
});
