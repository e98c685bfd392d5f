import { describe, expect, test } from 'vitest';
import type { Item } from './attribute-values.ts';
import { GivenDynamodb, key } from './given-dynamodb.ts';

const red: Item = { team: { S: 'red' }, score: { S: '1' } };
const blue: Item = { team: { S: 'blue' }, score: { S: '1' } };

function inTeam(dynamodb: GivenDynamodb, team: string): unknown[] {
  const { Items } = dynamodb.run('Query', {
    IndexName: 'byTeam',
    KeyConditionExpression: 'team = :team',
    ExpressionAttributeValues: { ':team': { S: team } },
  });
  return (Items as Item[]).map(({ sk }) => sk?.S);
}

describe('an eventually consistent read', () => {
  test('may show any state of the last ten seconds, and none before', () => {
    const dynamodb = new GivenDynamodb({ staleChance: 1 });
    dynamodb.put('a', { n: { N: '1' } });
    dynamodb.now += 1000;
    dynamodb.put('a', { n: { N: '2' } });

    const shown = [0, 1, 2].map((choice) => {
      dynamodb.choices = [choice];
      return dynamodb.get('a', false)?.n?.N;
    });
    expect(shown).toEqual(['2', '1', undefined]);

    dynamodb.now += 9000; // the first write replaced nothing ten seconds ago: that state is out of reach
    dynamodb.choices = [1];
    expect(dynamodb.get('a', false)?.n?.N).toBe('1');
    dynamodb.now += 1000;
    dynamodb.choices = [1];
    expect(dynamodb.get('a', false)?.n?.N).toBe('2');
  });

  test('that is consistent asks for no choice', () => {
    const dynamodb = new GivenDynamodb({ staleChance: 1 });
    dynamodb.put('a');
    dynamodb.get('a');
    expect(dynamodb.asked).toEqual([]);
  });
});

describe('an index', () => {
  test('may show a new entry late, and a removed entry for too long', () => {
    const dynamodb = new GivenDynamodb({ staleChance: 1 });
    dynamodb.put('a', red);
    dynamodb.now += 20_000;
    dynamodb.put('a', blue);

    dynamodb.choices = [1];
    expect(inTeam(dynamodb, 'blue')).toEqual([]);
    dynamodb.choices = [1];
    expect(inTeam(dynamodb, 'red')).toEqual(['a']);
    dynamodb.choices = [0];
    expect(inTeam(dynamodb, 'blue')).toEqual(['a']);
  });

  test('applies the writes of one item in order, and never goes back', () => {
    const dynamodb = new GivenDynamodb({ staleChance: 1 });
    dynamodb.put('a', red);
    dynamodb.put('a', blue);
    dynamodb.choices = [0];
    expect(inTeam(dynamodb, 'blue')).toEqual(['a']);

    dynamodb.choices = [1];
    expect(inTeam(dynamodb, 'red')).toEqual([]);
  });

  test('lags by at most ten seconds', () => {
    const dynamodb = new GivenDynamodb({ staleChance: 1 });
    dynamodb.put('a', red);
    dynamodb.run('DeleteItem', { Key: key('a') });
    dynamodb.now += 10_000;
    dynamodb.choices = [1];
    expect(inTeam(dynamodb, 'red')).toEqual([]);
  });

  test('holds the keys of items that have both of its key attributes', () => {
    const dynamodb = new GivenDynamodb();
    dynamodb.put('a', { ...red, n: { N: '1' } });
    dynamodb.put('b', { team: { S: 'red' } });

    const { Items } = dynamodb.run('Query', {
      IndexName: 'byTeam',
      KeyConditionExpression: 'team = :team',
      ExpressionAttributeValues: { ':team': { S: 'red' } },
    });
    expect(Items).toEqual([{ ...key('a'), ...red }]);
  });
});

test('names in maps may be returned in another order', () => {
  const dynamodb = new GivenDynamodb({ reorderChance: 1 });
  dynamodb.choices = [0];
  dynamodb.put('a', { map: { M: { x: { N: '1' }, y: { N: '2' } } } });

  dynamodb.choices = [1];
  expect(JSON.stringify(dynamodb.get('a')?.map)).toBe('{"M":{"y":{"N":"2"},"x":{"N":"1"}}}');
});

test('a query of an index refuses to name an attribute that the index does not have', () => {
  const dynamodb = new GivenDynamodb();

  expect(() =>
    dynamodb.run('Query', {
      IndexName: 'byTeam',
      KeyConditionExpression: 'team = :team',
      ProjectionExpression: 'sk, #n',
      ExpressionAttributeNames: { '#n': 'n' },
      ExpressionAttributeValues: { ':team': { S: 'red' } },
    }),
  ).toThrow('Global secondary index byTeam does not project [n]');
});
