import fc from 'fast-check';
import { expect, test } from 'vitest';
import { foldText, partFinder } from '../../../shared/leads/text-search.ts';

test('a part is found where the text has it and nowhere else, however long both are', () => {
  const few = fc.array(fc.constantFrom('a', 'b', 'ab', 'é', '😀'), { minLength: 1, maxLength: 3 }).map((parts) => parts.join(''));
  const scenario = fc.record({
    text: fc.tuple(few, fc.integer({ min: 1, max: 2000 })).map(([unit, times]) => unit.repeat(times)),
    part: fc.tuple(few, few, fc.integer({ min: 1, max: 400 })).map(([unit, odd, times]) => unit.repeat(times) + odd),
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
/** Each took 70 to 1,300 ms a text as V8 searches and normalizes it, 3 ms at the most as it is done here. */
const textsAtOnce = 40;

test.each([
  ['a part that nearly matches at each place', 'a'.repeat(textChars), `${'a'.repeat(975)}b${'a'.repeat(partChars - 976)}`],
  ['a text of a letter and marks in no order', `a${'\u0301'.repeat(textChars / 4)}${'\u0323'.repeat(textChars / 4)}`, 'b'],
])('forty of the largest texts are looked through in a moment: %s', (_, text, part) => {
  const isIn = partFinder(foldText(part));
  const begun = process.cpuUsage();

  for (let left = textsAtOnce; left > 0; left -= 1) expect(isIn(foldText(text))).toBe(false);

  const { user } = process.cpuUsage(begun);
  expect(user / 1000).toBeLessThan(1500);
});
