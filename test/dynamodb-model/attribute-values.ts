import { invalidValue, NotModelledError, ValidationError } from './errors.ts';

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

/** @throws ValidationError for a value that DynamoDB does not take */
function assertValue(value: AttributeValue): void {
  if (value.S !== undefined || value.BOOL !== undefined) return;
  if (value.N !== undefined) assertNumber(value.N);
  else if (value.M !== undefined) assertValues(value.M);
  else if (value.L !== undefined) for (const one of value.L) assertValue(one);
  else if (value.NULL !== undefined) {
    if (!value.NULL) throw invalidValue('Null attribute value types must have the value of true');
  } else {
    const type = typeOf(value);
    if (type !== undefined) throw new NotModelledError(`values of type ${type}`);
    throw new ValidationError(
      'Supplied AttributeValue is empty, must contain exactly one of the supported datatypes',
    );
  }
}

export function assertValues(item: Item): void {
  for (const name in item) assertValue(item[name] as AttributeValue);
}

/** In the one form that DynamoDB returns, and exact as a number of JavaScript. */
const integer = /^(0|-?[1-9]\d{0,14})$/;

function assertNumber(text: string): void {
  if (!integer.test(text)) throw new NotModelledError(`the number ${text}`);
}

export function addNumbers(one: string, other: string): string {
  const sum = String(Number(one) + Number(other));
  assertNumber(sum);
  return sum;
}

/** The value at a document path, or undefined if the item has none. */
export function valueAt(item: Item, path: readonly string[]): AttributeValue | undefined {
  let value: AttributeValue | undefined = { M: item };
  for (const name of path)
    value = value?.M && Object.hasOwn(value.M, name) ? value.M[name] : undefined;
  return value;
}

/** An item's attributes of these names. */
export function projected(item: Item, attributes: readonly string[]): Item {
  const part: Record<string, AttributeValue> = {};
  for (const name of attributes)
    if (Object.hasOwn(item, name)) part[name] = item[name] as AttributeValue;
  return part;
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
  if (one.N !== undefined && other.N !== undefined) return Number(one.N) - Number(other.N);
  return undefined;
}

export function equalValues(one: AttributeValue, other: AttributeValue): boolean {
  const type = typeOf(one);
  if (type === undefined || type !== typeOf(other)) return false;
  if (type === 'L' || type === 'M') throw new NotModelledError('comparisons of lists and of maps');
  return one[type] === other[type];
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

/** About one byte for two digits, and one (DynamoDB developer guide, "Item sizes and formats"). */
function numberSize(text: string): number {
  const significant = text.replace(/^-/, '').replace(/0+$/, '');
  return Math.min(21, Math.ceil(significant.length / 2) + 1 + (text.startsWith('-') ? 1 : 0));
}

export function itemSize(item: Item): number {
  let bytes = 0;
  for (const name in item) bytes += textSize(name) + valueSize(item[name] as AttributeValue);
  return bytes;
}
