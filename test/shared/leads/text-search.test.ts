import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText } from '../../../shared/base/text.ts';
import { partFinder } from '../../../shared/leads/text-search.ts';
import { processorMs } from '../../support/busy-machine.ts';

test('a part is found where the text has it and nowhere else, however long both are', () => {
  const few = fc
    .array(fc.constantFrom('a', 'b', 'ab', 'é', '😀'), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join(''));
  const scenario = fc.record({
    text: fc
      .tuple(few, fc.integer({ min: 1, max: 2000 }))
      .map(([unit, times]) => unit.repeat(times)),
    part: fc
      .tuple(few, few, fc.integer({ min: 1, max: 400 }))
      .map(([unit, odd, times]) => unit.repeat(times) + odd),
    where: fc.nat(5000),
    isIn: fc.boolean(),
  });
  fc.assert(
    fc.property(scenario, ({ text, part, where, isIn }) => {
      const searched = isIn ? text.slice(0, where) + part + text.slice(where) : text;

      expect(partFinder(part)(searched)).toBe(searched.includes(part));
    }),
    { numRuns: 2000 },
  );
});

test('texts are compared by what people read: case and composition are ignored', () => {
  expect(foldText('E\u0301COLE Ünal')).toBe(foldText('éCOLE u\u0308nal'));
  expect(foldText('resume')).not.toBe(foldText('résumé'));
});

/** The largest part: a filter holds 8,000 characters. The text: what a lead holds of one body. */
const partChars = 3900;
const textChars = 95_000;
const textsCount = 40;

test.each([
  {
    what: 'a part that nearly matches everywhere',
    text: 'a'.repeat(textChars),
    plainText: 'a quick brown fox at'.repeat(textChars / 20),
    part: `${'a'.repeat(975)}b${'a'.repeat(partChars - 976)}`,
  },
  {
    what: 'a letter with unordered marks',
    text: `a${'\u0301'.repeat(textChars / 4)}${'\u0323'.repeat(textChars / 4)}`,
    plainText: 'ae\u0301ce\u0301'.repeat(textChars / 12),
    part: 'b',
  },
])(
  'the largest texts are searched for $what about as fast as plain text',
  ({ text, plainText, part }) => {
    const isIn = partFinder(foldText(part));
    const search = (one: string) => () => {
      for (let left = textsCount; left > 0; left -= 1) expect(isIn(foldText(one))).toBe(false);
    };

    const ofPlainText = processorMs(search(plainText));
    const ofText = processorMs(search(text));

    // Measured 0.5 to 2. With V8's own search, or its normalization of all marks at once, it is 150 or more.
    expect(ofText / ofPlainText).toBeLessThan(20);
  },
);
