import { invalidValue, ValidationError } from './errors.ts';
import { compareNumbers, normalizeNumber, numberSize } from './numbers.ts';

/** A value as DynamoDB's protocol writes it: an object with one member, named by the type. */
export interface AttributeValue {
  readonly S?: string;
  readonly N?: string;
  readonly B?: Uint8Array;
  readonly BOOL?: boolean;
  readonly NULL?: boolean;
  readonly L?: readonly AttributeValue[];
  readonly M?: Item;
  readonly SS?: readonly string[];
  readonly NS?: readonly string[];
  readonly BS?: readonly Uint8Array[];
}
export type Item = Readonly<Record<string, AttributeValue>>;
export type AttributeType = keyof AttributeValue;

/** The type of a value; of one without a known member, undefined. */
export function typeOf(value: AttributeValue): AttributeType | undefined {
  for (const type in value)
    if (value[type as AttributeType] !== undefined) return type as AttributeType;
  return undefined;
}

/** Types as the messages about operands name them. */
export const typeNames: Readonly<Record<AttributeType, string>> = {
  S: 'STRING',
  N: 'NUMBER',
  B: 'BINARY',
  BOOL: 'BOOLEAN',
  NULL: 'NULL',
  L: 'LIST',
  M: 'MAP',
  SS: 'STRING_SET',
  NS: 'NUMBER_SET',
  BS: 'BINARY_SET',
};

/** Numbers and sets in the form in which they are stored; everything else as it is.
 *  @throws ValidationError for a value that DynamoDB does not take */
export function checkedValue(value: AttributeValue): AttributeValue {
  const type = typeOf(value);
  if (value.S !== undefined || value.BOOL !== undefined || value.B !== undefined) return value;
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
  if (type === undefined) {
    throw new ValidationError(
      'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
    );
  }
  return checkedSet(value);
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

function checkedSet(value: AttributeValue): AttributeValue {
  if (value.SS) {
    if (value.SS.length === 0) throw invalidValue('An string set  may not be empty');
    if (new Set(value.SS).size < value.SS.length) {
      throw invalidValue(`Input collection [${value.SS.join(', ')}] contains duplicates.`);
    }
    return { SS: [...value.SS].sort(compareText) };
  }
  if (value.NS) {
    if (value.NS.length === 0) throw invalidValue('An number set  may not be empty');
    const numbers = value.NS.map(normalizeNumber);
    if (new Set(numbers).size < numbers.length)
      throw new ValidationError('Input collection contains duplicates');
    return { NS: numbers.sort(compareNumbers) };
  }
  if (value.BS?.length === 0) throw invalidValue('Binary sets should not be empty');
  return value;
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
  if (one.B !== undefined && other.B !== undefined) return Buffer.compare(one.B, other.B);
  return undefined;
}

export function equalValues(one: AttributeValue, other: AttributeValue): boolean {
  const order = compareValues(one, other);
  if (order !== undefined) return order === 0;
  const type = typeOf(one);
  if (type === undefined || type !== typeOf(other)) return false;
  if (type === 'BOOL') return one.BOOL === other.BOOL;
  if (type === 'NULL') return true;
  if (type === 'L') {
    const [a, b] = [one.L ?? [], other.L ?? []];
    return (
      a.length === b.length && a.every((value, at) => equalValues(value, b[at] as AttributeValue))
    );
  }
  if (type === 'M') return equalItems(one.M ?? {}, other.M ?? {});
  const [a, b] = [membersOf(one), membersOf(other)];
  return a.length === b.length && a.every((member) => b.includes(member));
}

export function equalItems(one: Item, other: Item): boolean {
  const names = Object.keys(one);
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    const twin = Object.hasOwn(other, name) ? other[name] : undefined;
    return twin !== undefined && equalValues(one[name] as AttributeValue, twin);
  });
}

/** The members of a set, as texts that are equal when they are. */
export const membersOf = ({ SS, NS, BS }: AttributeValue): string[] =>
  SS ? [...SS] : NS ? [...NS] : (BS ?? []).map((bytes) => Buffer.from(bytes).toString('base64'));

/** Bytes of a text in UTF-8. */
export function textSize(text: string): number {
  for (let at = 0; at < text.length; at += 1)
    if (text.charCodeAt(at) > 127) return Buffer.byteLength(text);
  return text.length;
}

/** Bytes as DynamoDB counts them (developer guide, "Item sizes and formats"). */
export function valueSize(value: AttributeValue): number {
  if (value.S !== undefined) return textSize(value.S);
  if (value.N !== undefined) return numberSize(value.N);
  if (value.BOOL !== undefined || value.NULL !== undefined) return 1;
  if (value.M) return 3 + itemSize(value.M) + Object.keys(value.M).length;
  if (value.L) return value.L.reduce((bytes, one) => bytes + valueSize(one) + 1, 3);
  if (value.B) return value.B.byteLength;
  if (value.SS) return value.SS.reduce((bytes, one) => bytes + textSize(one), 0);
  if (value.NS) return value.NS.reduce((bytes, one) => bytes + numberSize(one), 0);
  return (value.BS ?? []).reduce((bytes, one) => bytes + one.byteLength, 0);
}

export function itemSize(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += textSize(name) + valueSize(item[name] as AttributeValue);
  return bytes;
}
