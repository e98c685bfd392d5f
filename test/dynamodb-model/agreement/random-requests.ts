import type { ExpressionParameters, Request, TransactItem } from '../request.ts';
import type { Random } from './random.ts';
import {
  Names,
  namesOnly,
  randomCondition,
  randomProjection,
  randomUpdate,
} from './random-expressions.ts';
import { randomItem, randomKey, randomPartition, randomSort } from './random-items.ts';

/** An operation with its request. */
export interface RandomCall {
  readonly operation: string;
  readonly request: Request;
}

/** The table that random requests are about: texts as keys, and an index. */
export const tableRequest = (TableName: string): Request => ({
  TableName,
  BillingMode: 'PAY_PER_REQUEST',
  KeySchema: [
    { AttributeName: 'pk', KeyType: 'HASH' },
    { AttributeName: 'sk', KeyType: 'RANGE' },
  ],
  AttributeDefinitions: [
    { AttributeName: 'pk', AttributeType: 'S' },
    { AttributeName: 'sk', AttributeType: 'S' },
    { AttributeName: 'team', AttributeType: 'S' },
    { AttributeName: 'score', AttributeType: 'S' },
  ],
  GlobalSecondaryIndexes: [
    {
      IndexName: 'byTeam',
      KeySchema: [
        { AttributeName: 'team', KeyType: 'HASH' },
        { AttributeName: 'score', KeyType: 'RANGE' },
      ],
      Projection: { ProjectionType: 'INCLUDE', NonKeyAttributes: ['note'] },
    },
  ],
});

type Maker = (random: Random, TableName: string) => RandomCall;

const makers: readonly (readonly [weight: number, make: Maker])[] = [
  [5, put],
  [10, update],
  [3, remove],
  [4, get],
  [6, query],
  [3, indexQuery],
  [2, scan],
  [3, batchGet],
  [1, batchWrite],
  [6, transaction],
  [2, transactGet],
];
const bag = makers.flatMap(([weight, make]) => Array.from({ length: weight }, () => make));

/** One request of any kind, most of them sensible. */
export const randomCall = (random: Random, TableName: string): RandomCall =>
  random.pick(bag)(random, TableName);

const capacity = (random: Random): Pick<Request, 'ReturnConsumedCapacity'> =>
  random.chance(0.3) ? { ReturnConsumedCapacity: 'TOTAL' } : {};

/** Most conditions are met or not by what is there; some are not even read. */
function condition(random: Random, names: Names): ExpressionParameters {
  return random.chance(0.6) ? { ConditionExpression: randomCondition(random, names) } : {};
}

function onFailure(random: Random): Pick<Request, 'ReturnValuesOnConditionCheckFailure'> {
  return random.chance(0.5) ? { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } : {};
}

function put(random: Random, TableName: string): RandomCall {
  const names = new Names(random);
  const request = { TableName, Item: randomItem(random), ...condition(random, names) };
  return {
    operation: 'PutItem',
    request: {
      ...request,
      ...names.parameters,
      ...onFailure(random),
      ...capacity(random),
    },
  };
}

/** Refused. Not in a transaction: there dynoxide carries it out, and leaves two items under one key. */
const keyUpdate = (names: Names): string => `SET pk = ${names.value({ S: 'p' })}`;

function update(random: Random, TableName: string): RandomCall {
  const names = new Names(random);
  const UpdateExpression = random.chance(0.97)
    ? { UpdateExpression: random.chance(0.05) ? keyUpdate(names) : randomUpdate(random, names) }
    : {};
  const request = {
    TableName,
    Key: randomKey(random),
    ...UpdateExpression,
    ...condition(random, names),
  };
  const ReturnValues = random.pick(['NONE', 'ALL_NEW', 'UPDATED_NEW'] as const);
  return {
    operation: 'UpdateItem',
    request: {
      ...request,
      ...names.parameters,
      ReturnValues,
      ...onFailure(random),
      ...capacity(random),
    },
  };
}

function remove(random: Random, TableName: string): RandomCall {
  const names = new Names(random);
  const request = { TableName, Key: randomKey(random), ...condition(random, names) };
  return {
    operation: 'DeleteItem',
    request: { ...request, ...names.parameters, ...capacity(random) },
  };
}

function projection(random: Random, names: Names): ExpressionParameters {
  return random.chance(0.3) ? { ProjectionExpression: randomProjection(random, names) } : {};
}

function get(random: Random, TableName: string): RandomCall {
  const names = new Names(random);
  const request = {
    TableName,
    Key: randomKey(random),
    ...projection(random, names),
    ConsistentRead: true,
  };
  return {
    operation: 'GetItem',
    request: { ...request, ...namesOnly(names.parameters), ...capacity(random) },
  };
}

function query(random: Random, TableName: string): RandomCall {
  const names = new Names(random);
  const pk = names.value({ S: randomPartition(random) });
  const sort = random.pick([
    () => '',
    () =>
      ` AND sk ${random.pick(['=', '<', '<=', '>', '>='])} ${names.value({ S: randomSort(random) })}`,
    () => ` AND begins_with(sk, ${names.value({ S: random.pick(['a', 'b', 'é']) })})`,
    () =>
      ` AND sk BETWEEN ${names.value({ S: 'a1' })} AND ${names.value({ S: random.pick(['a2', 'b1', 'z']) })}`,
  ])();
  return {
    operation: 'Query',
    request: {
      TableName,
      KeyConditionExpression: `pk = ${pk}${sort}`,
      ...(random.chance(0.3) && { FilterExpression: randomCondition(random, names) }),
      ...projection(random, names),
      ...names.parameters,
      ...page(random),
      ...(random.chance(0.2) && {
        ExclusiveStartKey: { pk: names.valueOf(pk), sk: { S: randomSort(random) } },
      }),
      ConsistentRead: true,
      ...capacity(random),
    },
  };
}

const page = (random: Random): Request => ({
  ...(random.chance(0.4) && { Limit: random.between(1, 4) }),
  ...(random.chance(0.4) && { ScanIndexForward: random.chance(0.5) }),
  ...(random.chance(0.1) && { Select: 'COUNT' }),
});

function indexQuery(random: Random, TableName: string): RandomCall {
  const names = new Names(random);
  const team = names.value({ S: random.pick(['red', 'blue']) });
  const score = random.chance(0.5)
    ? ` AND score ${random.pick(['=', '<', '>='])} ${names.value({ S: String(random.between(0, 9)) })}`
    : '';
  const request = {
    TableName,
    IndexName: 'byTeam',
    KeyConditionExpression: `team = ${team}${score}`,
  };
  const { Select: _count, ...limits } = page(random);
  return {
    operation: 'Query',
    request: { ...request, ...names.parameters, ...limits, ...capacity(random) },
  };
}

function scan(random: Random, TableName: string): RandomCall {
  const names = new Names(random);
  const filter = random.chance(0.5) ? { FilterExpression: randomCondition(random, names) } : {};
  return {
    operation: 'Scan',
    request: {
      TableName,
      ...filter,
      ...projection(random, names),
      ...names.parameters,
      ConsistentRead: true,
    },
  };
}

function batchGet(random: Random, TableName: string): RandomCall {
  const Keys = Array.from({ length: random.between(1, 5) }, () => randomKey(random));
  const names = new Names(random);
  const request = {
    Keys,
    ConsistentRead: true,
    ...projection(random, names),
    ...namesOnly(names.parameters),
  };
  return {
    operation: 'BatchGetItem',
    request: { RequestItems: { [TableName]: request }, ...capacity(random) },
  };
}

function batchWrite(random: Random, TableName: string): RandomCall {
  const writes = Array.from({ length: random.between(1, 4) }, () =>
    random.chance(0.7)
      ? { PutRequest: { Item: randomItem(random) } }
      : { DeleteRequest: { Key: randomKey(random) } },
  );
  return { operation: 'BatchWriteItem', request: { RequestItems: { [TableName]: writes } } };
}

function transaction(random: Random, TableName: string): RandomCall {
  const TransactItems = Array.from({ length: random.between(1, 4) }, (): TransactItem => {
    const names = new Names(random);
    const kind = random.pick(['Put', 'Update', 'Delete', 'ConditionCheck'] as const);
    const what =
      kind === 'Put'
        ? { Item: randomItem(random) }
        : {
            Key: randomKey(random),
            ...(kind === 'Update' && { UpdateExpression: randomUpdate(random, names) }),
          };
    const evaluated =
      kind === 'ConditionCheck'
        ? { ConditionExpression: randomCondition(random, names) }
        : random.chance(0.4)
          ? condition(random, names)
          : {};
    return {
      [kind]: { TableName, ...what, ...evaluated, ...names.parameters, ...onFailure(random) },
    };
  });
  const token = random.chance(0.2) ? { ClientRequestToken: random.pick(['first', 'second']) } : {};
  return {
    operation: 'TransactWriteItems',
    request: { TransactItems, ...token, ...capacity(random) },
  };
}

function transactGet(random: Random, TableName: string): RandomCall {
  const TransactItems = Array.from({ length: random.between(1, 3) }, () => ({
    Get: { TableName, Key: randomKey(random) },
  }));
  return { operation: 'TransactGetItems', request: { TransactItems, ...capacity(random) } };
}
