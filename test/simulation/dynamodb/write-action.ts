import { type AttributeValue, checkedItem, checkedValue, type Item } from './attribute-values.ts';
import { conditionFailed, DynamodbError, ValidationError } from './errors.ts';
import { applyUpdate, refuseKeyUpdate } from './expressions/apply-update.ts';
import { holds, readCondition } from './expressions/condition.ts';
import type { Condition } from './expressions/parsed-condition.ts';
import type { Path } from './expressions/parser.ts';
import type { Placeholders } from './expressions/scope.ts';
import { readUpdate, type Update } from './expressions/update.ts';
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

export const maxItemBytes = 400 * 1024;

/** A write of one item, or a check without one, read from a request: what does not depend on the item that is there was checked. */
export interface WriteAction {
  readonly kind: 'put' | 'update' | 'delete' | 'check';
  readonly table: Table;
  readonly key: KeyText;
  readonly placeholders: Placeholders;
  readonly condition: Condition | undefined;
  /** Of a put. */
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
  readonly paths: readonly Path[];
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
    const item = checkedItem(request.Item ?? {});
    const key = keyOfItem(schema, item);
    if (sizeOf(item) > maxItemBytes)
      throw new ValidationError('Item size has exceeded the maximum allowed size');
    return { ...common, key, item, keyAttributes: {} };
  }
  const keyAttributes = normalizedKey(request.Key);
  const key = keyOfRequest(schema, keyAttributes);
  if (update) refuseKeyUpdate(update, keyNames(schema), placeholders);
  return { ...common, key, item: undefined, keyAttributes };
}

/** A key as it is stored: of a number, its one form. */
export function normalizedKey(key: Item = {}): Item {
  const normalized: Record<string, AttributeValue> = {};
  for (const name in key) normalized[name] = checkedValue(key[name] as AttributeValue);
  return normalized;
}

/**
 * Judges an action by the item that is there.
 * @throws DynamodbError when its condition does not hold, or the item it would make is not allowed
 */
export function judge(action: WriteAction, before: Item | undefined): Written {
  if (action.condition && !holds(action.condition, before ?? {}, action.placeholders)) {
    throw conditionFailed(action.showsItemOnFailure ? before : undefined);
  }
  if (action.kind === 'check') return { before, after: before, paths: [] };
  if (action.kind === 'put') return { before, after: action.item, paths: [] };
  if (action.kind === 'delete') return { before, after: undefined, paths: [] };
  const start = before ?? action.keyAttributes;
  if (!action.update) return { before, after: start, paths: [] };
  const { item: after, paths } = applyUpdate(action.update, start, action.placeholders);
  assertUpdatedIndexKeys(action.table, after);
  if (sizeOf(after) > maxItemBytes) {
    throw new ValidationError('Item size to update has exceeded the maximum allowed size');
  }
  return { before, after, paths };
}

function assertUpdatedIndexKeys({ schema }: Table, after: Item): void {
  try {
    assertIndexKeys(schema, after);
  } catch (error) {
    if (error instanceof DynamodbError && error.message.includes('Type mismatch')) {
      throw new ValidationError(
        'The update expression attempted to update the secondary index key to unsupported type',
      );
    }
    throw error;
  }
}
