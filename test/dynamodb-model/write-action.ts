import { assertValues, type Item } from './attribute-values.ts';
import { conditionFailed, invalidValue, ValidationError } from './errors.ts';
import { type Condition, holds } from './expressions/condition.ts';
import { expressionsOf } from './expressions/expressions.ts';
import { applyUpdate, type Update } from './expressions/update.ts';
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

/**
 * A write of one item, or a check without a write, parsed from a request. Everything that does not depend on the stored item has been
 * checked.
 */
export interface WriteAction {
  readonly kind: 'put' | 'update' | 'delete' | 'check';
  readonly table: Table;
  readonly key: KeyText;
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
}

/** @throws ValidationError */
export function readAction(kind: WriteAction['kind'], table: Table, request: Request): WriteAction {
  const { update, condition } = expressionsOf(request);
  const { schema } = table;
  const common = {
    kind,
    table,
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
  const refused = keyNames(schema).find((name) =>
    update?.some(({ attribute }) => attribute === name),
  );
  if (refused !== undefined)
    throw invalidValue(`Cannot update attribute ${refused}. This attribute is part of the key`);
  return { ...common, key, item: undefined, keyAttributes };
}

/**
 * Evaluates an action by the item that is there.
 * @throws DynamodbError when its condition does not hold, or the item it would make is not allowed
 */
export function evaluate(action: WriteAction, before: Item | undefined): Written {
  if (action.condition && !holds(action.condition, before ?? {})) {
    throw conditionFailed(action.showsItemOnFailure ? before : undefined);
  }
  if (action.kind === 'check') return { before, after: before };
  if (action.kind !== 'update') return { before, after: action.item };
  const start = before ?? action.keyAttributes;
  if (!action.update) return { before, after: start };
  const after = applyUpdate(action.update, start);
  assertIndexKeys(action.table.schema, after);
  if (sizeOf(after) > maxItemBytes)
    throw new ValidationError('Item size to update has exceeded the maximum allowed size');
  return { before, after };
}
