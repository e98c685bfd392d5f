import type { Item } from '../attribute-values.ts';
import { Consumed, costOfWrite } from '../capacity.ts';
import { transactionConflict, ValidationError } from '../errors.ts';
import type { Path } from '../expressions/parser.ts';
import { projected, readProjection } from '../expressions/projection.ts';
import type { DynamodbModel, Operation } from '../model.ts';
import { RequestExpressions } from '../placeholders.ts';
import type { Reply, Request } from '../request.ts';
import { sizeOf } from '../stored-item.ts';
import type { Table } from '../table.ts';
import { type KeyText, keyOfRequest } from '../table-schema.ts';
import {
  judge,
  normalizedKey,
  readAction,
  type WriteAction,
  type Written,
} from '../write-action.ts';

/** The reply with what it cost, where the request asks for that. */
export function withCapacity(
  { ReturnConsumedCapacity }: Request,
  reply: Reply,
  consumed: Consumed,
): Reply {
  if (!ReturnConsumedCapacity || ReturnConsumedCapacity === 'NONE') return reply;
  return { ...reply, ConsumedCapacity: consumed.shown(ReturnConsumedCapacity) };
}

/** The item that a read shows: the newest, or where it need not be consistent any state of the last seconds. */
export function readItem(
  dynamodb: DynamodbModel,
  table: Table,
  key: KeyText,
  isConsistent: boolean,
): Item | undefined {
  const stored = table.find(key);
  if (!stored) return undefined;
  const { chooseState } = dynamodb;
  if (isConsistent || !chooseState) return stored.current;
  const states = stored.states(dynamodb.now);
  return states.length === 1
    ? stored.current
    : states[chooseState(states.length, `state of ${key.partition} ${key.sort}`)]?.item;
}

const getItem: Operation = (dynamodb, request) => {
  const expressions = new RequestExpressions(request);
  const projection = expressions.read('ProjectionExpression', readProjection);
  expressions.assertAllUsed();
  const table = dynamodb.table(request.TableName);
  const key = keyOfRequest(table.schema, normalizedKey(request.Key));
  const item = readItem(dynamodb, table, key, request.ConsistentRead === true);
  const consumed = new Consumed(table);
  consumed.read(sizeOf(item), request.ConsistentRead === true);
  dynamodb.refuseThrottled(
    dynamodb.throughput?.takeRead(consumed, key.partition, '', dynamodb.now),
  );
  const shown =
    item && projection ? projected(item, projection.paths, expressions.placeholders) : item;
  return withCapacity(request, shown ? { Item: shown } : {}, consumed);
};

const returns: Readonly<Record<string, readonly string[]>> = {
  put: ['NONE', 'ALL_OLD'],
  delete: ['NONE', 'ALL_OLD'],
  update: ['NONE', 'ALL_OLD', 'ALL_NEW', 'UPDATED_OLD', 'UPDATED_NEW'],
};

function write(kind: 'put' | 'update' | 'delete'): Operation {
  return (dynamodb, request) => {
    const { ReturnValues = 'NONE' } = request;
    if (!returns[kind]?.includes(ReturnValues))
      throw new ValidationError('ReturnValues can only be ALL_OLD or NONE');
    const table = dynamodb.table(request.TableName);
    const action = readAction(kind, table, request);
    const { written, consumed } = writeOne(dynamodb, action);
    return withCapacity(request, returnedValues(ReturnValues, written), consumed);
  };
}

/** Judges and writes one item at once. @throws DynamodbError when a transaction holds the item, or its partition is short */
export function writeOne(
  dynamodb: DynamodbModel,
  action: WriteAction,
): { written: Written; consumed: Consumed } {
  const { table, key } = action;
  const known = table.find(key);
  if (known?.lock) throw transactionConflict();
  const written = judge(action, known?.current);
  const cost = costOfWrite(table, written.before, written.after);
  const { throughput, now } = dynamodb;
  dynamodb.refuseThrottled(
    throughput?.takeWrite(table, key.partition, [written.before, written.after], cost, now),
  );
  const consumed = new Consumed(table);
  consumed.write(cost);
  if (written.before !== undefined || written.after !== undefined) {
    dynamodb.write(table, known ?? table.place(key), written.after);
  }
  return { written, consumed };
}

const noPlaceholders = { names: {}, values: {} };

function returnedValues(
  asked: NonNullable<Request['ReturnValues']>,
  { before, after, paths }: Written,
): Reply {
  const attributes = (item: Item | undefined): Reply => (item ? { Attributes: item } : {});
  if (asked === 'ALL_OLD') return attributes(before);
  if (asked === 'ALL_NEW') return attributes(after);
  if (asked === 'NONE') return {};
  const part = updatedPart(asked === 'UPDATED_NEW' ? after : before, paths);
  return part && Object.keys(part).length > 0 ? { Attributes: part } : {};
}

const updatedPart = (item: Item | undefined, paths: readonly Path[]): Item | undefined =>
  item && projected(item, paths, noPlaceholders);

export const singleItems: Readonly<Record<string, Operation>> = {
  GetItem: getItem,
  PutItem: write('put'),
  UpdateItem: write('update'),
  DeleteItem: write('delete'),
};
