import fc from 'fast-check';
import { hostileNumbers, hostileObjects, hostileTexts } from './hostile.ts';

/** Any value that `JSON.parse` returns, hostile values included. */
export const anyJson: fc.Arbitrary<unknown> = fc
  .oneof(
    fc.json({ maxDepth: 4 }),
    fc.constantFrom(...hostileObjects, ...hostileNumbers),
    fc.constantFrom(...hostileTexts).map((text) => JSON.stringify(text)),
    fc.constantFrom(100, 3000).map((depth) => '['.repeat(depth) + ']'.repeat(depth)),
    fc.constantFrom(100, 1000).map((depth) => `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`),
  )
  .map((text) => JSON.parse(text));

/**
 * A valid value with any JSON in one place: the whole value, one of its properties (present or not), an item of a list in it,
 * or an unknown property.
 */
export function placedAnywhere(
  good: fc.Arbitrary<object>,
  properties: readonly string[],
): fc.Arbitrary<unknown> {
  const names = fc.constantFrom<string | undefined>(
    undefined,
    ...properties,
    '__proto__',
    'nobody knows it',
  );
  return fc
    .record({ value: good, name: names, json: anyJson, asItem: fc.boolean() })
    .map(({ value, name, json, asItem }) => {
      if (name === undefined) return json;
      const copy = { ...value };
      // An assignment to `__proto__` would not create a property.
      Object.defineProperty(copy, name, {
        value: asItem ? [json] : json,
        enumerable: true,
        configurable: true,
        writable: true,
      });
      return copy;
    });
}
