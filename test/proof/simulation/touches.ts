import {
  type BatchKeys,
  type BatchWrite,
  type Item,
  keyTextOf,
  type Request,
} from '../../dynamodb-model/dynamodb-model.ts';
import type { Touch } from './choices.ts';

/**
 * The items that a request reads and writes. If two requests have none in common, or only read them, their order makes no difference. The
 * keys are those of the service's table.
 */
export function touchesOf(operation: string, request: Request): readonly Touch[] {
  const { TableName = '' } = request;
  if (operation === 'Query' && request.IndexName === undefined) return [partitionOf(request)];
  if (operation === 'Query' || operation === 'Scan') return [{ where: everywhere, isWrite: false }];
  if (operation.startsWith('Batch')) {
    return Object.entries(request.RequestItems ?? {}).flatMap(([table, items]) =>
      batchTouches(table, items),
    );
  }
  if (operation.startsWith('Transact')) {
    return (request.TransactItems ?? []).flatMap(({ Put, Update, Delete, ConditionCheck, Get }) => {
      const action = Put ?? Update ?? Delete ?? ConditionCheck ?? Get ?? {};
      return [touch(action.TableName ?? '', action.Key ?? action.Item, Get === undefined)];
    });
  }
  return [touch(TableName, request.Key ?? request.Item, operation !== 'GetItem')];
}

const everywhere = '*';

function touch(table: string, key: Item | undefined, isWrite: boolean): Touch {
  const { pk = {}, sk = {} } = key ?? {};
  return { where: `${table} ${keyTextOf(pk)}`, part: keyTextOf(sk), isWrite };
}

/** Of a query, the whole partition: which of its items are read depends on what is there. */
function partitionOf({
  TableName = '',
  ExpressionAttributeValues = {},
  KeyConditionExpression = '',
}: Request): Touch {
  const name = /\bpk\s*=\s*(:\w+)/.exec(KeyConditionExpression)?.[1] ?? '';
  const value = ExpressionAttributeValues[name];
  return { where: value ? `${TableName} ${keyTextOf(value)}` : everywhere, isWrite: false };
}

function batchTouches(table: string, items: BatchKeys | readonly BatchWrite[]): readonly Touch[] {
  if ('Keys' in items) return items.Keys.map((key) => touch(table, key, false));
  return items.map(({ PutRequest, DeleteRequest }) =>
    touch(table, PutRequest?.Item ?? DeleteRequest?.Key, true),
  );
}
