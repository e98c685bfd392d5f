import { isDeepStrictEqual } from 'node:util';
import type { AttributeValue, Item } from '../../dynamodb-model/dynamodb-model.ts';

/** An item, or a part of one, as JavaScript says it. */
export type Plain = Readonly<Record<string, unknown>>;

const known = new WeakMap<Item, Plain>();

/** An item as JavaScript says it; the same object for the same item. Stored items are never changed. */
export function plainItem(item: Item): Plain {
  const before = known.get(item);
  if (before) return before;
  const plain: Record<string, unknown> = {};
  for (const name in item) plain[name] = plainValue(item[name] as AttributeValue);
  known.set(item, plain);
  return plain;
}

function plainValue(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.N !== undefined) return Number(value.N);
  if (value.M !== undefined) return plainItem(value.M);
  if (value.L !== undefined) return value.L.map(plainValue);
  return value.BOOL ?? null;
}

/** Whether two values say the same; objects whatever the order of their names. */
export const isSame: (one: unknown, other: unknown) => boolean = isDeepStrictEqual;

/** A value whose order says nothing, if it is a list. */
export const unordered = (value: unknown): unknown =>
  Array.isArray(value) ? value.toSorted() : value;
