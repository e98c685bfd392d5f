import fc from 'fast-check';
import type { Item } from '../attribute-values.ts';
import type { Request, TransactItem } from '../request.ts';
import {
  condition,
  oneOfValues,
  phrase,
  placeholderMistake,
  projection,
  update,
  withPlaceholders,
} from './random-expressions.ts';
import { item, key, partitionKey, score, seldom, sortKey } from './random-items.ts';

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
      Projection: { ProjectionType: 'KEYS_ONLY' },
    },
  ],
});

type Parts = Readonly<Record<string, fc.Arbitrary<unknown>>>;

/** A request with these members, each of `optional` half of the time, and with placeholders for what its expressions hold. */
const requestWith = (required: Parts, optional: Parts = {}): fc.Arbitrary<Request> =>
  fc
    .tuple(
      fc.record({ ...required, ...optional }, { requiredKeys: Object.keys(required) }),
      placeholderMistake,
    )
    .map(([request, mistake]) => withPlaceholders(request as Request, mistake));

const capacity = { ReturnConsumedCapacity: fc.constant('TOTAL') };
const onFailure = { ReturnValuesOnConditionCheckFailure: fc.constant('ALL_OLD') };
const conditional = { ConditionExpression: condition, ...onFailure };
/** Rejected. Not in a transaction: there dynoxide carries it out, and leaves two items under one key. */
const keyUpdate = phrase`SET pk = ${oneOfValues({ S: 'p' })}`;

const put = requestWith({ Item: item }, { ...conditional, ...capacity });
const change = requestWith(
  { Key: key, ReturnValues: fc.constantFrom('NONE', 'ALL_NEW', 'UPDATED_NEW') },
  { UpdateExpression: seldom(update, keyUpdate, 20), ...conditional, ...capacity },
);
const remove = requestWith({ Key: key }, { ConditionExpression: condition, ...capacity });
const consistent = { ConsistentRead: fc.constant(true) };
const get = requestWith(
  { Key: key, ...consistent },
  { ProjectionExpression: projection, ...capacity },
);

const limits = { Limit: fc.integer({ min: 1, max: 4 }), ScanIndexForward: fc.boolean() };
const sortCondition = fc.oneof(
  fc.constant(''),
  phrase` AND sk ${fc.constantFrom('=', '<', '<=', '>', '>=')} ${sortKey.chain((sk) => oneOfValues({ S: sk }))}`,
  phrase` AND begins_with(sk, ${oneOfValues({ S: 'a' }, { S: 'b' }, { S: 'é' })})`,
  phrase` AND sk BETWEEN ${oneOfValues({ S: 'a1' })} AND ${oneOfValues({ S: 'a2' }, { S: 'b1' }, { S: 'z' })}`,
);
const query = partitionKey.chain((pk) =>
  requestWith(
    {
      KeyConditionExpression: phrase`pk = ${oneOfValues({ S: pk })}${sortCondition}`,
      ...consistent,
    },
    {
      FilterExpression: condition,
      ProjectionExpression: projection,
      Select: seldom(fc.constant(undefined), fc.constant('COUNT'), 5),
      ExclusiveStartKey: sortKey.map((sk): Item => ({ pk: { S: pk }, sk: { S: sk } })),
      ...limits,
      ...capacity,
    },
  ),
);
const indexQuery = requestWith(
  {
    IndexName: fc.constant('byTeam'),
    KeyConditionExpression: phrase`team = ${oneOfValues({ S: 'red' }, { S: 'blue' })}${fc.oneof(
      fc.constant(''),
      phrase` AND score ${fc.constantFrom('=', '<', '>=')} ${score.chain((one) => oneOfValues({ S: one }))}`,
    )}`,
  },
  { ...limits, ...capacity },
);
const scan = requestWith(consistent, {
  FilterExpression: condition,
  ProjectionExpression: projection,
});

/** Several of them, in one request. */
const some = <T>(one: fc.Arbitrary<T>, maxLength: number): fc.Arbitrary<T[]> =>
  fc.array(one, { minLength: 1, maxLength });
const batchKeys = requestWith(
  { Keys: some(key, 5), ...consistent },
  { ProjectionExpression: projection },
);
const batchWrites = some(
  fc.oneof(
    { weight: 2, arbitrary: item.map((Item) => ({ PutRequest: { Item } })) },
    key.map((Key) => ({ DeleteRequest: { Key } })),
  ),
  4,
);
const actions: readonly (readonly [keyof TransactItem, fc.Arbitrary<Request>])[] = [
  ['Put', requestWith({ Item: item }, conditional)],
  ['Update', requestWith({ Key: key, UpdateExpression: update }, conditional)],
  ['Delete', requestWith({ Key: key }, conditional)],
  ['ConditionCheck', requestWith({ Key: key, ConditionExpression: condition }, onFailure)],
];
const read = key.map((Key) => ({ Key }));

/** Requests of all kinds, most of them sensible. */
export function randomCalls(TableName: string): fc.Arbitrary<RandomCall> {
  const of = (weight: number, operation: string, request: fc.Arbitrary<object>) => ({
    weight,
    arbitrary: request.map((own): RandomCall => ({ operation, request: own as Request })),
  });
  const inTable = (request: fc.Arbitrary<object>) => request.map((own) => ({ TableName, ...own }));
  const batch = (requests: fc.Arbitrary<unknown>) =>
    fc.record({ RequestItems: requests.map((own) => ({ [TableName]: own })), ...capacity });
  const transactItem = fc.oneof(
    ...actions.map(([kind, request]) => inTable(request).map((own) => ({ [kind]: own }))),
  );
  const reads = inTable(read).map((Get) => ({ Get }));
  return fc.noBias(
    fc.oneof(
      of(5, 'PutItem', inTable(put)),
      of(10, 'UpdateItem', inTable(change)),
      of(3, 'DeleteItem', inTable(remove)),
      of(4, 'GetItem', inTable(get)),
      of(6, 'Query', inTable(query)),
      of(3, 'Query', inTable(indexQuery)),
      of(2, 'Scan', inTable(scan)),
      of(3, 'BatchGetItem', batch(batchKeys)),
      of(1, 'BatchWriteItem', batch(batchWrites)),
      of(
        6,
        'TransactWriteItems',
        requestWith(
          { TransactItems: some(transactItem, 4) },
          { ClientRequestToken: fc.constantFrom('first', 'second'), ...capacity },
        ),
      ),
      of(2, 'TransactGetItems', requestWith({ TransactItems: some(reads, 3) }, capacity)),
    ),
  );
}
