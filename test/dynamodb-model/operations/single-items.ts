import type { Item } from '../attribute-values.ts';
import { Consumed, capacityOf, costOfWrite } from '../capacity.ts';
import { NotModelledError, transactionConflict } from '../errors.ts';
import { projected, readProjection } from '../expressions/projection.ts';
import type { DynamodbModel, Operation } from '../model.ts';
import { RequestExpressions } from '../placeholders.ts';
import type { Reply } from '../request.ts';
import { sizeOf } from '../stored-item.ts';
import type { Table } from '../table.ts';
import { type KeyText, keyOfRequest } from '../table-schema.ts';
import { evaluate, readAction, type WriteAction, type Written } from '../write-action.ts';

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
  const key = keyOfRequest(table.schema, request.Key);
  const item = readItem(dynamodb, table, key, request.ConsistentRead === true);
  const consumed = new Consumed(table);
  consumed.read(sizeOf(item), request.ConsistentRead === true);
  dynamodb.refuseThrottled(
    dynamodb.throughput?.takeRead(consumed, key.partition, '', dynamodb.now),
  );
  const shown = item && projection ? projected(item, projection.attributes) : item;
  return { ...(shown && { Item: shown }), ...capacityOf(request, consumed) };
};

function write(kind: 'put' | 'update' | 'delete'): Operation {
  return (dynamodb, request) => {
    const { ReturnValues = 'NONE' } = request;
    if (ReturnValues !== 'NONE' && (kind !== 'update' || !/NEW$/.test(ReturnValues)))
      throw new NotModelledError(`ReturnValues ${ReturnValues} of a ${kind}`);
    const action = readAction(kind, dynamodb.table(request.TableName), request);
    const consumed = new Consumed(action.table);
    const written = writeOne(dynamodb, action, consumed);
    return { ...returnedValues(ReturnValues, written), ...capacityOf(request, consumed) };
  };
}

/** Evaluates and writes one item at once. @throws DynamodbError when a transaction holds the item, or its partition is short */
export function writeOne(
  dynamodb: DynamodbModel,
  action: WriteAction,
  consumed: Consumed,
): Written {
  const { table, key } = action;
  const known = table.find(key);
  if (known?.isLocked) throw transactionConflict();
  const written = evaluate(action, known?.current);
  const cost = costOfWrite(table, written.before, written.after);
  const { throughput, now } = dynamodb;
  dynamodb.refuseThrottled(
    throughput?.takeWrite(table, key.partition, [written.before, written.after], cost, now),
  );
  consumed.write(cost);
  if (written.before !== undefined || written.after !== undefined) {
    dynamodb.write(table, known ?? table.place(key), written.after);
  }
  return written;
}

function returnedValues(asked: string, { after, attributes }: Written): Reply {
  if (asked === 'NONE' || !after) return {};
  if (asked === 'ALL_NEW') return { Attributes: after };
  const part = projected(after, attributes);
  return Object.keys(part).length > 0 ? { Attributes: part } : {};
}

export const singleItems: Readonly<Record<string, Operation>> = {
  GetItem: getItem,
  PutItem: write('put'),
  UpdateItem: write('update'),
  DeleteItem: write('delete'),
};
