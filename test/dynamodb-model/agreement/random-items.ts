import fc from 'fast-check';
import type { AttributeValue, Item } from '../attribute-values.ts';

/** Attributes besides the key; `size` is a reserved word. */
export const attributeNames = [
  'n',
  's',
  'flag',
  'steps',
  'details',
  'note',
  'team',
  'score',
  'size',
] as const;
export type AttributeName = (typeof attributeNames)[number];

/** One of two, the second one time in `times`. */
export const seldom = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>, times: number) =>
  fc.oneof({ weight: times - 1, arbitrary: usual }, { weight: 1, arbitrary: rare });

export const partitionKey = fc.constantFrom('p', 'q');
export const sortKey = fc.constantFrom('a1', 'a2', 'a3', 'b1', 'b2', 'é');
const text = fc.constantFrom('', 'a', 'ab', 'abc', 'b', 'é', '😀', '\uffff', 'Zürich');
/** Of index entries: many, because DynamoDB promises no order of those that have the same. */
export const score = fc.integer({ min: 10, max: 99 }).map(String);
const digit = fc.constantFrom(...'012345678');
const number = fc.constantFrom('0', '1', '-1', '2', '10', '-1200', '12345678901234');
const asText = (value: string): AttributeValue => ({ S: value });
const asNumber = (value: string): AttributeValue => ({ N: value });

/** @param numbers of the value itself; those in it are digits */
const valueWith = (
  numbers: fc.Arbitrary<string>,
  inner?: fc.Arbitrary<AttributeValue>,
): fc.Arbitrary<AttributeValue> =>
  fc.oneof(
    text.map(asText),
    numbers.map(asNumber),
    fc.boolean().map((value) => ({ BOOL: value })),
    fc.constant({ NULL: true }),
    ...(inner ? [inner.map((one) => ({ L: [one, { N: '7' }] }))] : []),
    ...(inner ? [inner.map((one) => ({ M: { a: one } }))] : []),
  );
const innerValue = valueWith(digit, valueWith(digit));
/** Any value; seldom one that DynamoDB does not take. */
export const anyValue = seldom(valueWith(number, innerValue), fc.constant({ NULL: false }), 66);

const usual: Readonly<Record<AttributeName, fc.Arbitrary<AttributeValue>>> = {
  n: number.map(asNumber),
  s: text.map(asText),
  flag: fc.boolean().map((value) => ({ BOOL: value })),
  steps: fc.array(innerValue, { maxLength: 3 }).map((values) => ({ L: values })),
  details: innerValue.map((a) => ({
    M: { a, b: { N: '1' }, nested: { M: { c: { S: 'deep' } } } },
  })),
  note: fc.constantFrom(1, 1, 300).map((times) => ({ S: 'note '.repeat(times) })),
  team: fc.constantFrom('red', 'blue').map(asText),
  score: score.map(asText),
  size: fc.constant({ N: '1' }),
};
/** Mostly of the type that its name suggests, so that conditions and updates meet what they are written for. */
export const usualValue = (name: AttributeName): fc.Arbitrary<AttributeValue> =>
  seldom(usual[name], anyValue, 16);

const goodKey = fc.record({ pk: partitionKey.map(asText), sk: sortKey.map(asText) });
/** A key, seldom one that no item could have. */
export const key: fc.Arbitrary<Item> = seldom<Item>(
  goodKey,
  fc.constantFrom<Item>(
    { pk: { S: 'p' } },
    { pk: { N: '1' }, sk: { S: 'a1' } },
    { pk: { S: '' }, sk: { S: 'a1' } },
    { pk: { S: 'p' }, sk: { S: 'a1' }, other: { S: 'x' } },
    { pk: { S: 'p' }, sk: { S: 'x'.repeat(1025) } },
    { pk: { S: 'x'.repeat(2049) }, sk: { S: 'a1' } },
  ),
  33,
);

const attributes = fc.record(
  Object.fromEntries(attributeNames.map((name) => [name, usualValue(name)])),
  { requiredKeys: [] },
) as fc.Arbitrary<Item>;
export const item: fc.Arbitrary<Item> = fc
  .tuple(key, attributes)
  .map(([ofKey, others]) => ({ ...others, ...ofKey }));
