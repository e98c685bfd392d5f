import { expect, test } from 'vitest';
import { asciiFigures, comparableName, foldText } from '../../../shared/base/text.ts';

/** Every character that has two cases. */
const cased = Array.from({ length: 0x11_0000 }, (_, code) => code)
  .filter((code) => code < 0xd800 || code > 0xdfff)
  .map((code) => String.fromCodePoint(code).normalize('NFC'))
  .filter((one) => one.toLowerCase() !== one || one.toUpperCase() !== one);

test.each([
  ['Ma\u0301laga, Spain', 'Málaga, Spain'],
  ['MBA\u200b', 'mba'],
  ['\u200eMBA\u200f', 'MBA'],
  ['Face\u00adbook\u00a0Ads', 'Facebook Ads'],
  ['\u2003Facebook \t\u3000Ads\r\n', 'Facebook Ads'],
  ['STRASSE', 'Straße'],
  ['STRAẞE', 'strasse'],
  ['İSTANBUL', 'i\u0307stanbul'],
  ['ΚΌΣΜΟΣ', 'κόσμος'],
  ['ΚΌΣΜΟΣ.ΓΡ', 'κόσμοσ.γρ'],
  ['ﬁnance ſchool', 'Finance School'],
  ['J\u030c', '\u01f0'],
  ['\u0390', '\u03aa\u0301'],
])('the names %j and %j are the same', (one, other) =>
  expect(comparableName(one)).toBe(comparableName(other)),
);

test.each([
  ['Cafe', 'Café'],
  ['Facebook', 'Face book'],
  ['istanbul', 'İstanbul'],
  ['kırmızı', 'KIRMIZI'],
  ['Ⅳ', 'IV'],
])('the names %j and %j are two', (one, other) =>
  expect(comparableName(one)).not.toBe(comparableName(other)),
);

test('a character folds as each of its cases, where Unicode’s simple case folding does so', () => {
  // That is what a regular expression compares by (ECMA-262, Canonicalize).
  const isSame = (one: string, other: string) => new RegExp(`^${other}$`, 'iu').test(one);
  const apart = cased.filter((one) =>
    [one.toLowerCase(), one.toUpperCase(), foldText(one)]
      .filter((other) => [...other].length === 1)
      .some((other) => isSame(one, other) !== (foldText(one) === foldText(other))),
  );
  expect(apart).toEqual([]);
  expect(cased.filter((one) => foldText(foldText(one)) !== foldText(one))).toEqual([]);
});

test.each([
  [' \u200e2026-11-20\u200b', '2026-11-20'],
  ['२०२६-११-२०', '2026-11-20'],
  ['2026\u201111\u201320', '2026-11-20'],
  ['\u22125', '-5'],
  ['1'.repeat(401), ''],
])('the figures %j are %j', (typed, figures) => expect(asciiFigures(typed)).toBe(figures));
