import type { Item } from '../attribute-values.ts';
import { DynamodbError, throttled, ValidationError } from '../errors.ts';
import { expressionsOf } from '../expressions/expressions.ts';
import { type DynamodbModel, type Operation, someOf } from '../model.ts';
import type { BatchKeys, BatchWrite } from '../request.ts';
import { sizeOf } from '../stored-item.ts';
import type { Table } from '../table.ts';
import { type KeyText, keyOfRequest } from '../table-schema.ts';
import { capacitiesOf, type Units, unitsOfRead } from '../units.ts';
import { readAction, type WriteAction } from '../write-action.ts';
import { writeOne } from './single-items.ts';

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
  const Responses: Record<string, Item[]> = {};
  const UnprocessedKeys: Record<string, BatchKeys> = {};
  const units = requests.map(([name, keys]) => {
    const table = dynamodb.table(name);
    const read = readBatch(dynamodb, table, keys);
    Responses[name] = read.items;
    if (read.left.length > 0) UnprocessedKeys[name] = { ...keys, Keys: read.left };
    return [table, read.units] as const;
  });
  return { Responses, UnprocessedKeys, ...capacitiesOf(request, units) };
};

interface ReadBatch {
  readonly items: Item[];
  readonly left: Item[];
  readonly units: Units[];
}

/** Each item is read for itself: of a transaction, some may be seen before and others after. The last keys may be left, but not all. */
function readBatch(dynamodb: DynamodbModel, table: Table, request: BatchKeys): ReadBatch {
  const { projection } = expressionsOf(request);
  const keys = request.Keys.map((key) => keyOfRequest(table.schema, key));
  assertApart(keys);
  const isConsistent = request.ConsistentRead === true;
  const choose = isConsistent ? undefined : dynamodb.chooseState;
  const result: ReadBatch = { items: [], left: [], units: [] };
  const { unprocessedChance = 0 } = dynamodb.options;
  const processed =
    keys.length - dynamodb.choose(keys.length, 'keys left unprocessed', unprocessedChance);
  let bytes = 0;
  for (const [at, key] of keys.entries()) {
    const item = table.find(key)?.read(dynamodb.now, choose);
    bytes += sizeOf(item);
    const cost = unitsOfRead(sizeOf(item), { key: key.partition, isConsistent });
    const short = dynamodb.shortOf(table, [cost]);
    if (short && keys.length === 1)
      throw throttled('ProvisionedThroughputExceededException', [short]);
    if (at >= processed || bytes > replyMaxBytes || short) {
      result.left.push(request.Keys[at] as Item);
      continue;
    }
    result.units.push(cost);
    if (item) result.items.push(projection ? projection(item) : item);
  }
  return result;
}

const batchWrite: Operation = (dynamodb, request) => {
  const requests = Object.entries(request.RequestItems ?? {}) as [string, BatchWrite[]][];
  const count = requests.reduce((sum, [, writes]) => sum + writes.length, 0);
  if (count > writesMax)
    throw new ValidationError('Too many items requested for the BatchWriteItem call');
  const UnprocessedItems: Record<string, BatchWrite[]> = {};
  const units = requests.map(([name, writes]) => {
    const table = dynamodb.table(name);
    const actions = writes.map((write) => [write, actionOf(table, write)] as const);
    assertApart(actions.map(([, { key }]) => key));
    const { unprocessedChance } = dynamodb.options;
    const left = someOf(dynamodb, writes, 'writes left unprocessed', unprocessedChance);
    const costs = actions.map(
      ([write, action]) => [write, left.has(write) ? undefined : costOf(dynamodb, action)] as const,
    );
    const unwritten = costs.flatMap(([write, cost]) => (cost ? [] : [write]));
    if (unwritten.length > 0) UnprocessedItems[name] = unwritten;
    return [table, costs.flatMap(([, cost]) => cost ?? [])] as const;
  });
  return { UnprocessedItems, ...capacitiesOf(request, units) };
};

const actionOf = (table: Table, { PutRequest, DeleteRequest }: BatchWrite): WriteAction =>
  PutRequest
    ? readAction('put', table, { Item: PutRequest.Item })
    : readAction('delete', table, { Key: DeleteRequest?.Key ?? {} });

/** Writes one item. @returns its cost; undefined if it is left unprocessed, since a transaction holds it or its partition is short */
function costOf(dynamodb: DynamodbModel, action: WriteAction): readonly Units[] | undefined {
  try {
    return writeOne(dynamodb, action).units;
  } catch (error) {
    if (error instanceof DynamodbError && /Conflict|Throttling|Throughput/.test(error.name))
      return undefined;
    throw error;
  }
}

export const batches: Readonly<Record<string, Operation>> = {
  BatchGetItem: batchGet,
  BatchWriteItem: batchWrite,
};
