import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RawValue } from '../../../shared/leads/field-types.ts';
import { read, refused } from './read-field.ts';

describe('number', () => {
  test.each<[RawValue, number]>([
    [12, 12],
    [' +12.50 ', 12.5],
    ['-.5', -0.5],
    ['1,00,000', 100_000],
    ['12,34,56,789.25', 123_456_789.25],
    ['1.5E-3', 0.0015],
    [9_007_199_254_740_991, 9_007_199_254_740_991],
    ['१,००,०००', 100_000],
    ['1e-130', 1e-130],
  ])('%j is %d', (raw, number) => expect(read('budget', raw)).toBe(number));

  test.each([-0, '-0e5'])('%j is a plain zero', (raw) =>
    expect(Object.is(read('budget', raw), 0)).toBe(true),
  );

  test.each<[RawValue]>([
    ['12 lakh'],
    ['1 000'],
    ['1,00'],
    ['1,2345'],
    [',123'],
    ['12.'],
    ['1.2.3'],
    ['0x10'],
    ['Infinity'],
    ['.'],
    ['+e5'],
    [true],
    [['12']],
    [Number.NaN],
  ])('%j is not a number', (raw) =>
    expect(read('budget', raw)).toEqual(refused('must be a number')),
  );

  test.each<RawValue>([9_007_199_254_740_992, '9007199254740993', '1e400', '1'.repeat(38)])(
    '%j is too large to be held exactly',
    (raw) => expect(read('budget', raw)).toEqual(refused('must be a number')),
  );
  test.each<RawValue>(['1e-131', 1e-131, '-4e-999'])('%j is too small to be held', (raw) =>
    expect(read('budget', raw)).toEqual(refused('at least')),
  );
  test('more digits than a number holds are refused, trailing zeros apart', () => {
    expect(read('budget', `0.${'1234567890'.repeat(4)}`)).toEqual(refused('17 digits'));
    expect(read('budget', `0.5${'0'.repeat(40)}`)).toBe(0.5);
  });

  test('what is read is finite and within bounds, whatever is sent', () => {
    const texts = fc.oneof(
      fc.string({ unit: fc.constantFrom(...'0123456789+-.,eE ') }),
      fc.double().map(String),
      fc.double(),
    );
    fc.assert(
      fc.property(texts, (raw) => {
        const value = read('budget', raw);
        expect(
          value === null ||
            (typeof value === 'number'
              ? Math.abs(value) <= Number.MAX_SAFE_INTEGER
              : 'refused' in (value as object)),
        ).toBe(true);
      }),
    );
  });
});
