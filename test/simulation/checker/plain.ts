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
export function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null)
    return false;
  if (Array.isArray(one) || Array.isArray(other)) {
    return (
      Array.isArray(one) &&
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((value, at) => isSame(value, other[at]))
    );
  }
  const [a, b] = [one as Plain, other as Plain];
  const names = Object.keys(a);
  return (
    names.length === Object.keys(b).length &&
    names.every((name) => Object.hasOwn(b, name) && isSame(a[name], b[name]))
  );
}

/** A value whose order says nothing, if it is a list. */
export const unordered = (value: unknown): unknown =>
  Array.isArray(value) ? value.toSorted() : value;
