import { assertValues, type Item } from './attribute-values.ts';
import { conditionFailed, invalidValue, ValidationError } from './errors.ts';
import { type Condition, holds, readCondition } from './expressions/condition.ts';
import type { Placeholders } from './expressions/scope.ts';
import { applyUpdate, readUpdate, type Update, writtenAttributes } from './expressions/update.ts';
import { RequestExpressions } from './placeholders.ts';
import type { Request } from './request.ts';
import { sizeOf } from './stored-item.ts';
import type { Table } from './table.ts';
import {
  assertIndexKeys,
  type KeyText,
  keyNames,
  keyOfItem,
  keyOfRequest,
} from './table-schema.ts';

const maxItemBytes = 400 * 1024;

/** A write of one item, or a check without one, read from a request: what does not depend on the item that is there was checked. */
export interface WriteAction {
  readonly kind: 'put' | 'update' | 'delete' | 'check';
  readonly table: Table;
  readonly key: KeyText;
  readonly placeholders: Placeholders;
  readonly condition: Condition | undefined;
  /** Of a put: what it makes of the item; a delete leaves none. */
  readonly item: Item | undefined;
  /** Of an update; of an update without an expression, undefined. */
  readonly update: Update | undefined;
  /** Of an update: what a new item begins with. */
  readonly keyAttributes: Item;
  readonly showsItemOnFailure: boolean;
}

/** What a write makes of an item. */
export interface Written {
  readonly before: Item | undefined;
  readonly after: Item | undefined;
  /** The attributes that an update names. */
  readonly attributes: readonly string[];
}

/** @throws ValidationError */
export function readAction(kind: WriteAction['kind'], table: Table, request: Request): WriteAction {
  const expressions = new RequestExpressions(request);
  const update = kind === 'update' ? expressions.read('UpdateExpression', readUpdate) : undefined;
  const condition = expressions.read('ConditionExpression', readCondition)?.condition;
  expressions.assertAllUsed();
  const { placeholders } = expressions;
  const { schema } = table;
  const common = {
    kind,
    table,
    placeholders,
    condition,
    update,
    showsItemOnFailure: request.ReturnValuesOnConditionCheckFailure === 'ALL_OLD',
  };
  if (kind === 'put') {
    const { Item: item = {} } = request;
    assertValues(item);
    const key = keyOfItem(schema, item);
    if (sizeOf(item) > maxItemBytes)
      throw new ValidationError('Item size has exceeded the maximum allowed size');
    return { ...common, key, item, keyAttributes: {} };
  }
  const { Key: keyAttributes = {} } = request;
  const key = keyOfRequest(schema, keyAttributes);
  const written = update ? writtenAttributes(update, placeholders) : [];
  const refused = keyNames(schema).find((name) => written.includes(name));
  if (refused !== undefined)
    throw invalidValue(`Cannot update attribute ${refused}. This attribute is part of the key`);
  return { ...common, key, item: undefined, keyAttributes };
}

/**
 * Evaluates an action by the item that is there.
 * @throws DynamodbError when its condition does not hold, or the item it would make is not allowed
 */
export function evaluate(action: WriteAction, before: Item | undefined): Written {
  if (action.condition && !holds(action.condition, before ?? {}, action.placeholders)) {
    throw conditionFailed(action.showsItemOnFailure ? before : undefined);
  }
  if (action.kind === 'check') return { before, after: before, attributes: [] };
  if (action.kind !== 'update') return { before, after: action.item, attributes: [] };
  const start = before ?? action.keyAttributes;
  const { update, placeholders } = action;
  if (!update) return { before, after: start, attributes: [] };
  const after = applyUpdate(update, start, placeholders);
  assertIndexKeys(action.table.schema, after);
  if (sizeOf(after) > maxItemBytes)
    throw new ValidationError('Item size to update has exceeded the maximum allowed size');
  return { before, after, attributes: writtenAttributes(update, placeholders) };
}
