import { projected } from '../attribute-values.ts';
import { NotModelledError, transactionConflict } from '../errors.ts';
import { expressionsOf } from '../expressions/expressions.ts';
import type { DynamodbModel, Operation } from '../model.ts';
import { sizeOf } from '../stored-item.ts';
import { keyOfRequest } from '../table-schema.ts';
import { capacityOf, type Units, unitsOfRead, unitsOfWrite } from '../units.ts';
import { evaluate, readAction, type WriteAction, type Written } from '../write-action.ts';

const getItem: Operation = (dynamodb, request) => {
  const { projection } = expressionsOf(request);
  const table = dynamodb.table(request.TableName);
  const key = keyOfRequest(table.schema, request.Key);
  const isConsistent = request.ConsistentRead === true;
  const item = table.find(key)?.read(dynamodb.now, isConsistent ? undefined : dynamodb.chooseState);
  const units = [unitsOfRead(sizeOf(item), { key: key.partition, isConsistent })];
  dynamodb.take(table, units);
  const shown = item && projection ? projection(item) : item;
  return { ...(shown && { Item: shown }), ...capacityOf(request, table, units) };
};

function write(kind: 'put' | 'update' | 'delete'): Operation {
  return (dynamodb, request) => {
    const { ReturnValues = 'NONE' } = request;
    if (ReturnValues !== 'NONE' && (kind !== 'update' || !/NEW$/.test(ReturnValues)))
      throw new NotModelledError(`ReturnValues ${ReturnValues} of a ${kind}`);
    const action = readAction(kind, dynamodb.table(request.TableName), request);
    const { after, units } = writeOne(dynamodb, action);
    const attributes = action.update?.map(({ attribute }) => attribute) ?? [];
    const part = ReturnValues === 'ALL_NEW' ? after : projected(after ?? {}, attributes);
    const shows = ReturnValues !== 'NONE' && part && Object.keys(part).length > 0;
    return { ...(shows && { Attributes: part }), ...capacityOf(request, action.table, units) };
  };
}

/** Evaluates and writes one item at once. @throws DynamodbError when a transaction holds the item, or its partition is short */
export function writeOne(
  dynamodb: DynamodbModel,
  action: WriteAction,
): Written & { readonly units: readonly Units[] } {
  const { table, key } = action;
  const known = table.find(key);
  if (known?.isLocked) throw transactionConflict();
  const written = evaluate(action, known?.current);
  const { before, after } = written;
  const units = unitsOfWrite(table, key.partition, before, after);
  dynamodb.take(table, units);
  if (before !== undefined || after !== undefined)
    dynamodb.write(table, known ?? table.place(key), after);
  return { ...written, units };
}

export const singleItems: Readonly<Record<string, Operation>> = {
  GetItem: getItem,
  PutItem: write('put'),
  UpdateItem: write('update'),
  DeleteItem: write('delete'),
};
