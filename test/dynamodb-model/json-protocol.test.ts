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
import { DynamodbError } from './errors.ts';
import { GivenDynamodb, TableName } from './given-dynamodb.ts';
import { errorResponse, httpResponse, requestOf } from './json-protocol.ts';

interface HttpRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
}

/** The model in the place of a socket. */
const requestHandlerFor = ({ model }: GivenDynamodb) => ({
  metadata: { handlerProtocol: 'http/1.1' },
  async handle({ headers, body }: HttpRequest) {
    const operation = headers['x-amz-target']?.split('.')[1] ?? '';
    try {
      return { response: httpResponse(200, model.executeNow(operation, requestOf(body))) };
    } catch (error) {
      if (!(error instanceof DynamodbError)) throw error;
      return { response: errorResponse(error) };
    }
  },
  updateHttpClientConfig(): void {},
  httpHandlerConfigs: () => ({}),
  destroy(): void {},
});

const documentClient = (dynamodb: GivenDynamodb): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      region: 'ap-south-1',
      endpoint: 'http://dynamodb.simulated',
      credentials: { accessKeyId: 'simulated', secretAccessKey: 'simulated' },
      requestHandler: requestHandlerFor(dynamodb),
    }),
  );

test('a real client reads what it wrote, of every type that it models', async () => {
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
  };
  await client.send(new PutCommand({ TableName, Item }));

  const { Item: read } = await client.send(
    new GetCommand({ TableName, Key: { pk: 'p', sk: 'a' } }),
  );
  expect(read).toEqual(Item);
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
