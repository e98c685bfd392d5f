import { describe, expect, test } from 'vitest';
import { finish, GivenDynamodb, key, TableName } from './given-dynamodb.ts';
import type { TransactItem } from './request.ts';

const put = (sk: string, n: string): TransactItem => ({
  Put: { TableName, Item: { ...key(sk), n: { N: n } } },
});
const two = { TransactItems: [put('a', '1'), put('b', '1')] };

describe('a transaction in progress', () => {
  test('refuses every other write of its items', () => {
    const dynamodb = new GivenDynamodb();
    dynamodb.begin('TransactWriteItems', two);

    expect(dynamodb.refusal('PutItem', { Item: key('a') }).name).toBe(
      'TransactionConflictException',
    );
    expect(dynamodb.refusal('DeleteItem', { Key: key('b') }).name).toBe(
      'TransactionConflictException',
    );
    expect(
      dynamodb.refusal('UpdateItem', { Key: key('a'), UpdateExpression: 'REMOVE n' }).name,
    ).toBe('TransactionConflictException');
  });

  test('cancels another at the position of the item they share', () => {
    const dynamodb = new GivenDynamodb();
    dynamodb.begin('TransactWriteItems', two);

    const { name, message, members } = dynamodb.refusal('TransactWriteItems', {
      TransactItems: [put('c', '2'), put('b', '2')],
    });

    expect(name).toBe('TransactionCanceledException');
    expect(message).toContain('[None, TransactionConflict]');
    expect(members.CancellationReasons).toMatchObject([
      { Code: 'None' },
      { Code: 'TransactionConflict' },
    ]);
    expect(
      dynamodb.refusal('TransactGetItems', {
        TransactItems: [{ Get: { TableName, Key: key('a') } }],
      }).name,
    ).toBe('TransactionCanceledException');
  });

  test('is atomic for reads of single items, and not for reads of several', () => {
    const dynamodb = new GivenDynamodb({ commitsItemByItem: true });
    const progress = dynamodb.begin('TransactWriteItems', two);

    expect([dynamodb.get('a'), dynamodb.get('b')]).toEqual([undefined, undefined]);
    progress.next();
    expect([dynamodb.get('a')?.n, dynamodb.get('b')]).toEqual([{ N: '1' }, undefined]);
    expect(dynamodb.refusal('PutItem', { Item: key('b') }).name).toBe(
      'TransactionConflictException',
    );
    finish(progress);
    expect(dynamodb.get('b')?.n).toEqual({ N: '1' });
  });

  test('locks items that are only checked', () => {
    const dynamodb = new GivenDynamodb();
    const check = {
      ConditionCheck: { TableName, Key: key('a'), ConditionExpression: 'attribute_not_exists(pk)' },
    };
    const progress = dynamodb.begin('TransactWriteItems', {
      TransactItems: [check, put('b', '1')],
    });

    expect(dynamodb.refusal('PutItem', { Item: key('a') }).name).toBe(
      'TransactionConflictException',
    );
    finish(progress);
    expect(dynamodb.get('a')).toBeUndefined();
    dynamodb.put('a');
  });
});

describe('two transactions that overlap', () => {
  test('may cancel each other, if each holds an item that the other needs', () => {
    const dynamodb = new GivenDynamodb({ overlapChance: 1 });
    dynamodb.choices = [1, 0];
    const first = dynamodb.begin('TransactWriteItems', two);
    dynamodb.choices = [1, 1];
    const second = dynamodb.begin('TransactWriteItems', two);

    dynamodb.choices = [1];
    expect(first.next().value).toBe('a cancelled transaction keeps its locks');
    expect(() => second.next()).toThrow('[TransactionConflict, None]');
    expect(() => first.next()).toThrow('[None, TransactionConflict]');
    expect([dynamodb.get('a'), dynamodb.get('b')]).toEqual([undefined, undefined]);
    dynamodb.run('TransactWriteItems', two);
  });

  test('evaluate their conditions only when all their items are locked', () => {
    const dynamodb = new GivenDynamodb({ overlapChance: 1 });
    const absent = { TableName, ConditionExpression: 'attribute_not_exists(pk)' };
    const once = { TransactItems: ['a', 'b'].map((sk) => ({ Put: { Item: key(sk), ...absent } })) };
    dynamodb.choices = [1, 0];
    const first = dynamodb.begin('TransactWriteItems', once);
    dynamodb.put('b');

    expect(() => finish(first)).toThrow('[None, ConditionalCheckFailed]');
  });

  test('may hold their locks for some turns before they write', () => {
    const dynamodb = new GivenDynamodb({ overlapChance: 1 });
    dynamodb.choices = [0];
    const progress = dynamodb.begin('TransactWriteItems', two);
    dynamodb.choices = [2];
    for (let turn = 0; turn < 2; turn += 1) {
      expect(progress.next().value).toBe('the items of a transaction stay locked');
      expect(dynamodb.refusal('PutItem', { Item: key('a') }).name).toBe(
        'TransactionConflictException',
      );
    }
    finish(progress);
    expect(dynamodb.get('a')?.n).toEqual({ N: '1' });
  });
});

describe('a transaction that is cancelled', () => {
  test('writes nothing and gives reasons by position, with the item if it was requested', () => {
    const dynamodb = new GivenDynamodb();
    dynamodb.put('b', { n: { N: '7' } });
    const absent = {
      ConditionExpression: 'attribute_not_exists(pk)',
      ReturnValuesOnConditionCheckFailure: 'ALL_OLD' as const,
    };

    const { members } = dynamodb.refusal('TransactWriteItems', {
      TransactItems: [put('a', '1'), { Put: { TableName, Item: key('b'), ...absent } }],
    });

    expect(members.CancellationReasons).toEqual([
      { Code: 'None' },
      {
        Code: 'ConditionalCheckFailed',
        Message: 'The conditional request failed',
        Item: { ...key('b'), n: { N: '7' } },
      },
    ]);
    expect(dynamodb.get('a')).toBeUndefined();
  });

  test('leaves no lock behind', () => {
    const dynamodb = new GivenDynamodb();
    dynamodb.refusal('TransactWriteItems', {
      TransactItems: [
        put('a', '1'),
        { Delete: { TableName, Key: key('b'), ConditionExpression: 'attribute_exists(pk)' } },
      ],
    });

    dynamodb.put('a');
    dynamodb.put('b');
  });

  test('writes no item twice', () => {
    const dynamodb = new GivenDynamodb();
    expect(
      dynamodb.refusal('TransactWriteItems', { TransactItems: [put('a', '1'), put('a', '2')] })
        .message,
    ).toBe('Transaction request cannot include multiple operations on one item');
  });
});

describe('a ClientRequestToken', () => {
  const once = { ...two, ClientRequestToken: 'token' };

  test('applies the same request once within ten minutes of its end', () => {
    const dynamodb = new GivenDynamodb();
    dynamodb.run('TransactWriteItems', once);
    dynamodb.put('a', { n: { N: '9' } });

    dynamodb.now += 10 * 60_000 - 1;
    dynamodb.run('TransactWriteItems', once);
    expect(dynamodb.get('a')?.n).toEqual({ N: '9' });

    dynamodb.now += 1;
    dynamodb.run('TransactWriteItems', once);
    expect(dynamodb.get('a')?.n).toEqual({ N: '1' });
  });

  test('counts a repeated request as reads', () => {
    const dynamodb = new GivenDynamodb();
    const measured = { ...once, ReturnConsumedCapacity: 'TOTAL' as const };

    expect(dynamodb.run('TransactWriteItems', measured).ConsumedCapacity).toMatchObject([
      { WriteCapacityUnits: 4 },
    ]);
    expect(dynamodb.run('TransactWriteItems', measured).ConsumedCapacity).toMatchObject([
      { ReadCapacityUnits: 4 },
    ]);
  });

  test('refuses its token while it is in progress, and for another request', () => {
    const dynamodb = new GivenDynamodb();
    const progress = dynamodb.begin('TransactWriteItems', once);

    expect(dynamodb.refusal('TransactWriteItems', once).name).toBe(
      'TransactionInProgressException',
    );
    finish(progress);
    expect(
      dynamodb.refusal('TransactWriteItems', {
        TransactItems: [put('c', '1')],
        ClientRequestToken: 'token',
      }).name,
    ).toBe('IdempotentParameterMismatchException');
  });

  test('of a cancelled request stands for nothing', () => {
    const dynamodb = new GivenDynamodb();
    dynamodb.put('a');
    const absent = {
      TransactItems: [
        { Put: { TableName, Item: key('a'), ConditionExpression: 'attribute_not_exists(pk)' } },
      ],
    };
    dynamodb.refusal('TransactWriteItems', { ...absent, ClientRequestToken: 'token' });
    dynamodb.run('DeleteItem', { Key: key('a') });

    dynamodb.run('TransactWriteItems', { ...absent, ClientRequestToken: 'token' });
    expect(dynamodb.get('a')).toEqual(key('a'));
  });
});
