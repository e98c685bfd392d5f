import { describe, expect, test } from 'vitest';
import { NotModelledError } from './errors.ts';
import { GivenDynamodb, key, TableName } from './given-dynamodb.ts';
import type { Request } from './request.ts';

const kilobytes = (count: number): string => 'x'.repeat(count * 1024);

describe('a request or an item that is too large is refused', () => {
  const cases: [string, string, Request][] = [
    ['an item of more than 400 KB', 'PutItem', { Item: { ...key('a'), s: { S: kilobytes(400) } } }],
    ['a sort key of more than 1,024 bytes', 'PutItem', { Item: key('é'.repeat(513)) }],
    ['an empty key', 'GetItem', { Key: { pk: { S: 'p' }, sk: { S: '' } } }],
    [
      'a transaction of 101 items',
      'TransactWriteItems',
      {
        TransactItems: Array.from({ length: 101 }, (_, at) => ({
          Put: { TableName, Item: key(String(at)) },
        })),
      },
    ],
    [
      'a transaction of more than 4 MB',
      'TransactWriteItems',
      {
        TransactItems: Array.from({ length: 11 }, (_, at) => ({
          Put: { TableName, Item: { ...key(String(at)), s: { S: kilobytes(390) } } },
        })),
      },
    ],
    [
      'a batch of 101 keys',
      'BatchGetItem',
      {
        RequestItems: {
          [TableName]: { Keys: Array.from({ length: 101 }, (_, at) => key(String(at))) },
        },
      },
    ],
  ];

  test.for(cases)('%s', ([, operation, request]) => {
    const dynamodb = new GivenDynamodb();
    expect(dynamodb.refusal(operation, request).name).toBe('ValidationException');
    expect(dynamodb.run('Scan', {}).Count).toBe(0);
  });

  test('an update that would make an item too large, which stays unchanged', () => {
    const dynamodb = new GivenDynamodb();
    dynamodb.put('a', { s: { S: kilobytes(399) } });

    const refused = dynamodb.refusal('UpdateItem', {
      Key: key('a'),
      UpdateExpression: 'SET t = :t',
      ExpressionAttributeValues: { ':t': { S: kilobytes(2) } },
    });

    expect(refused.message).toBe('Item size to update has exceeded the maximum allowed size');
    expect(dynamodb.get('a')?.t).toBeUndefined();
  });
});

test('a page ends after a megabyte, and the next one continues there', () => {
  const dynamodb = new GivenDynamodb();
  for (const sk of ['a', 'b', 'c', 'd', 'e']) dynamodb.put(sk, { s: { S: kilobytes(300) } });
  const query = {
    KeyConditionExpression: 'pk = :p',
    ExpressionAttributeValues: { ':p': { S: 'p' } },
  };

  const { Items, LastEvaluatedKey } = dynamodb.run('Query', query) as {
    Items: unknown[];
    LastEvaluatedKey: Request['Key'];
  };
  const rest = dynamodb.run('Query', {
    ...query,
    ...(LastEvaluatedKey && { ExclusiveStartKey: LastEvaluatedKey }),
  });

  expect(Items.length).toBe(4);
  expect(LastEvaluatedKey).toEqual(key('d'));
  expect(rest).toMatchObject({ Count: 1 });
  expect(rest.LastEvaluatedKey).toBeUndefined();
});

test('a BatchWriteItem may leave any of its writes unprocessed', () => {
  const dynamodb = new GivenDynamodb({ unprocessedChance: 1 });
  for (const sk of ['a', 'b', 'c']) dynamodb.put(sk);
  const writes = ['a', 'b', 'c'].map((sk) => ({ DeleteRequest: { Key: key(sk) } }));
  dynamodb.choices = [1, 1];

  const written = dynamodb.run('BatchWriteItem', { RequestItems: { [TableName]: writes } });

  expect(written.UnprocessedItems).toEqual({ [TableName]: [writes[1]] });
  expect(dynamodb.run('Scan', {}).Count).toBe(1);
});

describe('a partition gives a thousand write units a second', () => {
  const big = { s: { S: kilobytes(99) } };

  test('then it throttles, with the reason, until the next second', () => {
    const dynamodb = new GivenDynamodb({ hasThroughputLimits: true });
    for (let written = 0; written < 10; written += 1) dynamodb.put('a', big);

    const { name, members } = dynamodb.refusal('PutItem', { Item: { ...key('a'), ...big } });
    expect(name).toBe('ThrottlingException');
    expect(members.throttlingReasons).toMatchObject([
      { reason: 'TableWriteKeyRangeThroughputExceeded' },
    ]);
    expect(
      dynamodb.refusal('TransactWriteItems', {
        TransactItems: [{ Put: { TableName, Item: key('b') } }],
      }).message,
    ).toContain('[ThrottlingError]');

    dynamodb.now += 1000;
    dynamodb.put('a', big);
  });

  test('an index without capacity throttles writes to the table', () => {
    const dynamodb = new GivenDynamodb({ hasThroughputLimits: true });
    const member = (sk: string) => ({
      pk: { S: sk },
      sk: { S: sk },
      team: { S: 'red' },
      score: { S: '1' },
    });
    for (let written = 0; written < 1000; written += 1)
      dynamodb.run('PutItem', { Item: member(`a${written}`) });

    const { members } = dynamodb.refusal('PutItem', { Item: member('z') });
    expect(members.throttlingReasons).toMatchObject([
      {
        reason: 'IndexWriteKeyRangeThroughputExceeded',
        resource: expect.stringContaining('/index/byTeam'),
      },
    ]);
  });
});

test('a request that the model does not support fails the test without a response', () => {
  const dynamodb = new GivenDynamodb();
  const run = (name: string, request: Request) => () => dynamodb.run(name, request);

  expect(run('ExecuteStatement', {})).toThrow(NotModelledError);
  expect(run('PutItem', { Item: { ...key('a'), set: { SS: ['x'] } as object } })).toThrow(
    NotModelledError,
  );
  for (const N of ['1.5', '1e3', '01', '9'.repeat(16)])
    expect(run('PutItem', { Item: { ...key('a'), n: { N } } })).toThrow(NotModelledError);
  dynamodb.put('a', { steps: { L: [] } });
  expect(
    run('DeleteItem', {
      Key: key('a'),
      ConditionExpression: 'steps = :v',
      ExpressionAttributeValues: { ':v': { L: [] } },
    }),
  ).toThrow(NotModelledError);
  for (const UpdateExpression of ['DELETE n :v', 'SET n.a = :v', 'SET n[0] = :v', 'SET n = n - :v'])
    expect(
      run('UpdateItem', {
        Key: key('a'),
        UpdateExpression,
        ExpressionAttributeValues: { ':v': { N: '1' } },
      }),
    ).toThrow(NotModelledError);
});
