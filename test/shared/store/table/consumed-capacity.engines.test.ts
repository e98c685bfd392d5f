import { randomUUID } from 'node:crypto';
import {
  BatchGetCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  TransactWriteCommand,
} from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import {
  noConsumedCapacity,
  withCapacityMetering,
} from '../../../../shared/store/table/consumed-capacity.ts';
import { givenTable } from '../../../support/table.ts';

/** A table of the test's own, because its items are not the service's. */
const shared = await givenTable();
const { name: TableName } = shared;
afterAll(() => shared.client.destroy());

const newItem = () => ({ pk: `ITEM#${randomUUID()}`, sk: 'ITEM' });
function givenMeasured() {
  const consumedCapacity = noConsumedCapacity();
  return { consumedCapacity, client: withCapacityMetering(shared, consumedCapacity).client };
}

test('a read counts as one call and its read units, a write as its write units', async () => {
  const { client, consumedCapacity } = givenMeasured();
  const item = newItem();

  await client.send(new PutCommand({ TableName, Item: item }));
  expect(consumedCapacity).toEqual({ calls: 1, readUnits: 0, writeUnits: 1 });

  await client.send(new GetCommand({ TableName, Key: item, ConsistentRead: true }));
  expect(consumedCapacity).toEqual({ calls: 2, readUnits: 1, writeUnits: 1 });

  await client.send(
    new BatchGetCommand({ RequestItems: { [TableName]: { Keys: [item], ConsistentRead: true } } }),
  );
  await client.send(
    new QueryCommand({
      TableName,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': item.pk },
    }),
  );
  expect(consumedCapacity).toEqual({ calls: 4, readUnits: 2.5, writeUnits: 1 });
});

test('a transaction counts its write units, a refused write counts as a call, and its error is rethrown', async () => {
  const { client, consumedCapacity } = givenMeasured();
  const Item = newItem();

  await client.send(new TransactWriteCommand({ TransactItems: [{ Put: { TableName, Item } }] }));
  expect(consumedCapacity).toEqual({ calls: 1, readUnits: 0, writeUnits: 2 });

  const isAbsent = { ConditionExpression: 'attribute_not_exists(pk)' };
  await expect(client.send(new PutCommand({ TableName, Item, ...isAbsent }))).rejects.toMatchObject(
    { name: 'ConditionalCheckFailedException' },
  );
  expect(consumedCapacity.calls).toBe(2);
});

test('the response is what the command requested', async () => {
  const { client } = givenMeasured();
  const item = newItem();

  const withIndexes = await client.send(
    new PutCommand({ TableName, Item: item, ReturnConsumedCapacity: 'INDEXES' }),
  );
  const { Item } = await client.send(new GetCommand({ TableName, Key: item }));

  expect(withIndexes.ConsumedCapacity).toHaveProperty('Table');
  expect(Item).toEqual(item);
});

test('parallel calls are counted separately, and calls of the shared client are not counted', async () => {
  const [one, other] = [givenMeasured(), givenMeasured()];

  await Promise.all([
    one.client.send(new PutCommand({ TableName, Item: newItem() })),
    other.client.send(new PutCommand({ TableName, Item: newItem() })),
    other.client.send(new PutCommand({ TableName, Item: newItem() })),
    shared.client.send(new PutCommand({ TableName, Item: newItem() })),
  ]);

  expect([one.consumedCapacity.writeUnits, other.consumedCapacity.writeUnits]).toEqual([1, 2]);
});
