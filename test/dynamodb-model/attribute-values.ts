import { invalidValue, NotModelledError, ValidationError } from './errors.ts';
import { compareNumbers, normalizeNumber, numberSize } from './numbers.ts';

/** A value as DynamoDB's protocol writes it: an object with one member, named by the type. Sets and binary values are not modelled. */
export interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly L?: readonly AttributeValue[];
  readonly M?: Item;
}
export type Item = Readonly<Record<string, AttributeValue>>;
export type AttributeType = keyof AttributeValue;

/** The type of a value; of one without a known member, undefined. */
export function typeOf(value: AttributeValue): AttributeType | undefined {
  for (const type in value)
    if (value[type as AttributeType] !== undefined) return type as AttributeType;
  return undefined;
}

/** Numbers in the form in which they are stored; everything else as it is.
 *  @throws ValidationError for a value that DynamoDB does not take */
export function checkedValue(value: AttributeValue): AttributeValue {
  if (value.S !== undefined || value.BOOL !== undefined) return value;
  if (value.N !== undefined) {
    const number = normalizeNumber(value.N);
    return number === value.N ? value : { N: number };
  }
  if (value.M !== undefined) return { M: checkedItem(value.M) };
  if (value.L !== undefined) return { L: value.L.map(checkedValue) };
  if (value.NULL !== undefined) {
    if (!value.NULL) throw invalidValue('Null attribute value types must have the value of true');
    return value;
  }
  const type = typeOf(value);
  if (type !== undefined) throw new NotModelledError(`values of type ${type}`);
  throw new ValidationError(
    'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
  );
}

export function checkedItem(item: Item): Item {
  let changed: Record<string, AttributeValue> | undefined;
  for (const name in item) {
    const value = item[name] as AttributeValue;
    const checked = checkedValue(value);
    if (checked === value) continue;
    changed ??= { ...item };
    changed[name] = checked;
  }
  return changed ?? item;
}

/** The order of UTF-8 bytes, which is the order of code points. */
export function compareText(one: string, other: string): number {
  if (one === other) return 0;
  const shorter = Math.min(one.length, other.length);
  for (let at = 0; at < shorter; at += 1) {
    const [a, b] = [one.charCodeAt(at), other.charCodeAt(at)];
    if (a === b) continue;
    const bothSurrogates = a >= 0xd800 && b >= 0xd800;
    return bothSurrogates ? rank(a) - rank(b) : a - b;
  }
  return one.length - other.length;
}

/** Surrogates stand for code points above all others. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);

/** The order of two values of one type; undefined for types that have none, and for two types. */
export function compareValues(one: AttributeValue, other: AttributeValue): number | undefined {
  if (one.S !== undefined && other.S !== undefined) return compareText(one.S, other.S);
  if (one.N !== undefined && other.N !== undefined) return compareNumbers(one.N, other.N);
  return undefined;
}

export function equalValues(one: AttributeValue, other: AttributeValue): boolean {
  const order = compareValues(one, other);
  if (order !== undefined) return order === 0;
  if (one.BOOL !== undefined) return one.BOOL === other.BOOL;
  if (one.NULL !== undefined) return one.NULL === other.NULL;
  if (one.L && other.L) {
    const twins = other.L;
    return (
      one.L.length === twins.length &&
      one.L.every((value, at) => equalValues(value, twins[at] as AttributeValue))
    );
  }
  return one.M !== undefined && other.M !== undefined && equalItems(one.M, other.M);
}

function equalItems(one: Item, other: Item): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    const twin = Object.hasOwn(other, name) ? other[name] : undefined;
    return twin !== undefined && equalValues(one[name] as AttributeValue, twin);
  });
}

/** Bytes of a text in UTF-8. */
export function textSize(text: string): number {
  for (let at = 0; at < text.length; at += 1)
    if (text.charCodeAt(at) > 127) return Buffer.byteLength(text);
  return text.length;
}

/** Bytes as DynamoDB counts them (developer guide, "Item sizes and formats"). */
function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return textSize(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  if (value.M) return 3 + itemSize(value.M) + Object.keys(value.M).length;
  return (value.L ?? []).reduce((bytes, one) => bytes + valueSize(one) + 1, 3);
}

export function itemSize(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += textSize(name) + valueSize(item[name] as AttributeValue);
  return bytes;
}
