import type { Item } from '../attribute-values.ts';
import { Consumed, capacityOf } from '../capacity.ts';
import { DynamodbError, throttled, ValidationError } from '../errors.ts';
import { projected, readProjection } from '../expressions/projection.ts';
import { type DynamodbModel, type Operation, someOf } from '../model.ts';
import { RequestExpressions } from '../placeholders.ts';
import type { BatchKeys, BatchWrite } from '../request.ts';
import { sizeOf } from '../stored-item.ts';
import type { Table } from '../table.ts';
import { type KeyText, keyOfRequest } from '../table-schema.ts';
import { readAction, type WriteAction } from '../write-action.ts';
import { readItem, writeOne } from './single-items.ts';

const keysMax = 100;
const writesMax = 25;
const replyMaxBytes = 16 * 1024 * 1024;

function assertApart(keys: readonly KeyText[]): void {
  if (new Set(keys.map(({ partition, sort }) => `${partition}\u0000${sort}`)).size < keys.length)
    throw new ValidationError('Provided list of item keys contains duplicates');
}

const batchGet: Operation = (dynamodb, request) => {
  const requests = Object.entries(request.RequestItems ?? {}) as [string, BatchKeys][];
  const count = requests.reduce((sum, [, { Keys }]) => sum + Keys.length, 0);
  if (count > keysMax)
    throw new ValidationError('Too many items requested for the BatchGetItem call');
  const read = requests.map(([name, keys]) => readBatch(dynamodb, dynamodb.table(name), keys));
  const unprocessed = requests.flatMap(([name, keys], at) => {
    const left = read[at]?.left ?? [];
    return left.length > 0 ? [[name, { ...keys, Keys: left }] as const] : [];
  });
  return {
    Responses: Object.fromEntries(requests.map(([name], at) => [name, read[at]?.items ?? []])),
    UnprocessedKeys: Object.fromEntries(unprocessed),
    ...capacityOf(
      request,
      read.map(({ consumed }) => consumed),
    ),
  };
};

interface ReadBatch {
  readonly items: Item[];
  readonly left: Item[];
  readonly consumed: Consumed;
}

/** Each item is read for itself: of a transaction, some may be seen before and others after. The last keys may be left, but not all. */
function readBatch(dynamodb: DynamodbModel, table: Table, request: BatchKeys): ReadBatch {
  const expressions = new RequestExpressions(request);
  const projection = expressions.read('ProjectionExpression', readProjection);
  expressions.assertAllUsed();
  const keys = request.Keys.map((key) => keyOfRequest(table.schema, key));
  assertApart(keys);
  const isConsistent = request.ConsistentRead === true;
  const consumed = new Consumed(table);
  const result: ReadBatch = { items: [], left: [], consumed };
  const { unprocessedChance = 0 } = dynamodb.options;
  const processed =
    keys.length - dynamodb.choose(keys.length, 'keys left unprocessed', unprocessedChance);
  let bytes = 0;
  for (const [at, key] of keys.entries()) {
    const item = readItem(dynamodb, table, key, isConsistent);
    bytes += sizeOf(item);
    const cost = new Consumed(table);
    cost.read(sizeOf(item), isConsistent);
    const isShort = dynamodb.throughput?.takeRead(cost, key.partition, '', dynamodb.now);
    if (isShort && keys.length === 1)
      throw throttled('ProvisionedThroughputExceededException', [isShort]);
    if (at >= processed || bytes > replyMaxBytes || isShort) {
      result.left.push(request.Keys[at] as Item);
      continue;
    }
    consumed.readUnits += cost.readUnits;
    if (item) result.items.push(projection ? projected(item, projection.attributes) : item);
  }
  return result;
}

const batchWrite: Operation = (dynamodb, request) => {
  const requests = Object.entries(request.RequestItems ?? {}) as [string, BatchWrite[]][];
  const count = requests.reduce((sum, [, writes]) => sum + writes.length, 0);
  if (count > writesMax)
    throw new ValidationError('Too many items requested for the BatchWriteItem call');
  const consumed: Consumed[] = [];
  const unprocessed: Record<string, BatchWrite[]> = {};
  for (const [name, writes] of requests) {
    const table = dynamodb.table(name);
    const actions = new Map(writes.map((write) => [write, actionOf(table, write)]));
    assertApart([...actions.values()].map(({ key }) => key));
    const ofTable = new Consumed(table);
    consumed.push(ofTable);
    const { unprocessedChance } = dynamodb.options;
    const left = someOf(dynamodb, writes, 'writes left unprocessed', unprocessedChance);
    const unwritten = writes.filter((write) => {
      const action = actions.get(write);
      return !action || left.has(write) || !isWritten(dynamodb, action, ofTable);
    });
    if (unwritten.length > 0) unprocessed[name] = unwritten;
  }
  return { UnprocessedItems: unprocessed, ...capacityOf(request, consumed) };
};

const actionOf = (table: Table, { PutRequest, DeleteRequest }: BatchWrite): WriteAction =>
  PutRequest
    ? readAction('put', table, { Item: PutRequest.Item })
    : readAction('delete', table, { Key: DeleteRequest?.Key ?? {} });

/** @returns false for a write that is left: a transaction holds its item, or its partition is short */
function isWritten(dynamodb: DynamodbModel, action: WriteAction, consumed: Consumed): boolean {
  try {
    writeOne(dynamodb, action, consumed);
    return true;
  } catch (error) {
    if (error instanceof DynamodbError && /Conflict|Throttling|Throughput/.test(error.name))
      return false;
    throw error;
  }
}

export const batches: Readonly<Record<string, Operation>> = {
  BatchGetItem: batchGet,
  BatchWriteItem: batchWrite,
};
