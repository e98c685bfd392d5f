import { checkedItem, type Item } from '../attribute-values.ts';
import { Consumed } from '../capacity.ts';
import { DynamodbError, throttled, ValidationError } from '../errors.ts';
import { projected, readProjection } from '../expressions/projection.ts';
import type { DynamodbModel, Operation } from '../model.ts';
import { RequestExpressions } from '../placeholders.ts';
import type { BatchKeys, BatchWrite, Reply, Request } from '../request.ts';
import { sizeOf } from '../stored-item.ts';
import type { Table } from '../table.ts';
import { type KeyText, keyOfItem, keyOfRequest } from '../table-schema.ts';
import { normalizedKey, readAction } from '../write-action.ts';
import { readItem, writeOne } from './single-items.ts';

const keysMax = 100;
const writesMax = 25;
const replyMaxBytes = 16 * 1024 * 1024;

const duplicates = (): ValidationError =>
  new ValidationError('Provided list of item keys contains duplicates');

function assertApart(keys: readonly KeyText[]): void {
  if (new Set(keys.map(({ partition, sort }) => `${partition}\u0000${sort}`)).size < keys.length)
    throw duplicates();
}

function capacities({ ReturnConsumedCapacity }: Request, consumed: readonly Consumed[]): Reply {
  if (!ReturnConsumedCapacity || ReturnConsumedCapacity === 'NONE') return {};
  return { ConsumedCapacity: consumed.map((one) => one.shown(ReturnConsumedCapacity)) };
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
    ...capacities(
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

/** Each item is read for itself: of a transaction, some may be seen before and others after. At least one key is processed. */
function readBatch(dynamodb: DynamodbModel, table: Table, request: BatchKeys): ReadBatch {
  const expressions = new RequestExpressions(request);
  const projection = expressions.read('ProjectionExpression', readProjection);
  expressions.assertAllUsed();
  const keys = request.Keys.map((key) => keyOfRequest(table.schema, normalizedKey(key)));
  assertApart(keys);
  const isConsistent = request.ConsistentRead === true;
  const consumed = new Consumed(table);
  const result: ReadBatch = { items: [], left: [], consumed };
  const processed =
    keys.length -
    dynamodb.choose(keys.length, 'keys left unprocessed', dynamodb.options.unprocessedChance ?? 0);
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
    if (item)
      result.items.push(
        projection ? projected(item, projection.paths, expressions.placeholders) : item,
      );
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
    assertApart(
      writes.map(({ PutRequest, DeleteRequest }) =>
        PutRequest
          ? keyOfItem(table.schema, checkedItem(PutRequest.Item))
          : keyOfRequest(table.schema, normalizedKey(DeleteRequest?.Key)),
      ),
    );
    const processed =
      writes.length -
      dynamodb.choose(
        writes.length,
        'writes left unprocessed',
        dynamodb.options.unprocessedChance ?? 0,
      );
    const left = writes.filter(
      (write, at) => at >= processed || !writeOfBatch(dynamodb, table, write, consumed),
    );
    if (left.length > 0) unprocessed[name] = left;
  }
  return { UnprocessedItems: unprocessed, ...capacities(request, consumed) };
};

/** @returns false for a write that is left: a transaction holds its item, or its partition is short */
function writeOfBatch(
  dynamodb: DynamodbModel,
  table: Table,
  { PutRequest, DeleteRequest }: BatchWrite,
  consumed: Consumed[],
): boolean {
  const action = PutRequest
    ? readAction('put', table, { Item: PutRequest.Item })
    : readAction('delete', table, { Key: DeleteRequest?.Key ?? {} });
  try {
    const one = writeOne(dynamodb, action).consumed;
    const known = consumed.find((other) => other.table === table);
    if (!known) consumed.push(one);
    else {
      known.writeUnits += one.writeUnits;
      for (const [index, units] of one.indexUnits) known.addIndex(index, units);
    }
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
