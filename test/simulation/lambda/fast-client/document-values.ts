import { marshall, unmarshall } from '@aws-sdk/util-dynamodb';
import type { AttributeValue, Item } from '../../dynamodb/attribute-values.ts';

/** Which parts of a command's input, or of its output, are JavaScript values: as the SDK's commands name them. */
export type KeyNodes = { readonly [name: string]: KeyNodes | null };
export type Converted = Record<string, unknown>;

const everyMember = '*';

/** A command's input with attribute values in the place of JavaScript's, as the document client sends it. */
export const marshalled = (input: object, nodes: KeyNodes): Converted =>
  convertedParts(input as Converted, nodes, attributeValueOf);

/** A command's output as the document client returns it. */
export const unmarshalled = (output: Converted, nodes: KeyNodes): Converted =>
  convertedParts(output, nodes, (value) => valueOf(value as AttributeValue));

type Convert = (value: unknown) => unknown;

function convertedParts(whole: Converted, nodes: KeyNodes, convert: Convert): Converted {
  const converted = { ...whole };
  for (const name in nodes) {
    const part = whole[name];
    if (part !== undefined) converted[name] = convertedPart(part, nodes[name] ?? null, convert);
  }
  return converted;
}

function convertedPart(part: unknown, nodes: KeyNodes | null, convert: Convert): unknown {
  if (nodes === null) return convert(part);
  let isLeaf = true;
  for (const name in nodes) {
    isLeaf = false;
    if (name !== everyMember) return convertedParts(part as Converted, nodes, convert);
  }
  const next = isLeaf ? null : (nodes[everyMember] ?? null);
  if (Array.isArray(part)) return part.map((one) => convertedPart(one, next, convert));
  const members: Converted = {};
  for (const name in part as Converted) {
    const member = (part as Converted)[name];
    if (member !== undefined) members[name] = convertedPart(member, next, convert);
  }
  return members;
}

const marshallOptions = { removeUndefinedValues: true, convertTopLevelContainer: true };

/** The plain values of which nearly all items are; the SDK converts the rest. */
function attributeValueOf(value: unknown): AttributeValue {
  if (typeof value === 'string') return { S: value };
  if (typeof value === 'boolean') return { BOOL: value };
  if (value === null) return { NULL: true };
  if (typeof value === 'number' && Number.isSafeInteger(value)) return { N: String(value) };
  if (Array.isArray(value)) {
    const members = value.filter((one) => one !== undefined && typeof one !== 'function');
    return { L: members.map(attributeValueOf) };
  }
  if (typeof value === 'object' && Object.getPrototypeOf(value) === Object.prototype)
    return { M: itemOf(value as Converted) };
  return marshall(value, marshallOptions) as AttributeValue;
}

function itemOf(value: Converted): Item {
  const item: Record<string, AttributeValue> = {};
  for (const name in value) {
    const member = value[name];
    if (member !== undefined && typeof member !== 'function') item[name] = attributeValueOf(member);
  }
  return item;
}

function valueOf(value: AttributeValue): unknown {
  if (value.S !== undefined) return value.S;
  if (value.BOOL !== undefined) return value.BOOL;
  if (value.M !== undefined) {
    const members: Converted = {};
    for (const name in value.M) members[name] = valueOf(value.M[name] as AttributeValue);
    return members;
  }
  if (value.L !== undefined) return value.L.map(valueOf);
  if (value.NULL !== undefined) return null;
  if (value.N !== undefined) {
    const number = Number(value.N);
    if (Number.isSafeInteger(number)) return number;
  }
  return unmarshall(value as never, { convertWithoutMapWrapper: true });
}
