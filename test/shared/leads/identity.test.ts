import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { asciiDigits } from '../../../shared/base/text.ts';
import { FieldIssue, parseEmail } from '../../../shared/leads/field-values.ts';
import { comparableEmail, emailIdentity } from '../../../shared/leads/identity.ts';
import { processorMs } from '../../support/busy-machine.ts';
import { sampleOrganization } from '../../support/settings.ts';

/**
 * Every assigned code point of Unicode, without ideographs and syllables, which only stand for themselves. All others are in planes 0, 1, 2
 * and 14.
 */
const everyCharacter = [0, 1, 2, 14]
  .flatMap((plane) => Array.from({ length: 0x10000 }, (_, at) => plane * 0x10000 + at))
  .map((codePoint) => String.fromCodePoint(codePoint))
  .filter((character) =>
    /[^\p{Cn}\p{Co}\p{Unified_Ideograph}\p{Script=Hangul}\p{Script=Tangut}]/u.test(character),
  );

describe('digits', () => {
  test('of every script of Unicode are read by their value', () => {
    const digits = everyCharacter.filter((character) => /^\p{Nd}$/u.test(character));
    expect(digits.length).toBeGreaterThan(600);
    // Each script's ten stand in a row, zero first, and a row begins at a digit whose ten are not counted yet.
    const wrong = digits.filter((digit, index) => asciiDigits(digit) !== String(index % 10));
    expect(wrong).toEqual([]);
  });

  test('digits of other scripts become ASCII digits, and other letters stay', () =>
    expect(asciiDigits('Flat ४ब, 🎓')).toBe('Flat 4ब, 🎓'));
});

describe('an email address', () => {
  const organization = sampleOrganization();
  const field = organization.fieldByKey.get('email')!;
  const read = (text: string) => parseEmail(text, field, organization);

  test.each([
    'Asha.Rao+forms@Mail.Example.co.in',
    "o'brien@example.ie",
    'a_b-c!#$%&*/=?^`{|}~@example.com',
    '1@2.in',
    'आशा@उदाहरण.भारत',
    'user@xn--p1b6ci4b4b3a.xn--11b5bs3a9aj6g',
    `${'a'.repeat(242)}@example.com`,
    '\u200b asha@exam\u200bple.in\u200b',
  ])('$0 is kept as typed', (text) => expect(read(`  ${text} `)).toBe(text));

  test.each([
    '@example.in',
    'asha@example',
    'asha@@example.in',
    'asha@example..in',
    'asha@example.in.',
    'a b@example.in',
    'asha@-example.in',
    'asha@example.in-',
    'asha@exam_ple.in',
    'Asha <asha@example.in>',
    'asha@example.in,b@c.in',
    '"a b"@example.in',
    'mailto:asha@example.in',
    'a\u0001b@example.in',
    '\u200b@example.in',
    'asha@example.in\u200bb@c.in',
  ])('%j is not an email', (text) => expect(read(text)).toBeInstanceOf(FieldIssue));

  test.each([
    ['of 255 characters', 'a'.repeat(243)],
    ['longer in comparable form than a key', '\ufdfa'.repeat(200)],
  ])('a text %s is not an email', (_, local) =>
    expect(read(`${local}@example.com`)).toBeInstanceOf(FieldIssue),
  );

  test.each(['a', 'a.'])(
    'of many %j is refused in time that grows no faster than its length',
    (repeated) => {
      const readLong = (count: number, chars: number) => () => {
        const text = `a@${repeated.repeat(chars / repeated.length)}`;
        for (let left = count; left > 0; left -= 1) expect(read(text)).toBeInstanceOf(FieldIssue);
      };

      const ofShort = processorMs(readLong(5000, 990));
      const ofLong = processorMs(readLong(50, 99_000));

      // The same characters in all: measured alike. If the time grew with the square of the length, it would be a hundredfold.
      expect(ofLong / ofShort).toBeLessThan(20);
    },
  );

  test.each([
    ['MÜLLER@KÖLN.DE', 'müller@köln.de'],
    ['u\u0308@example.de', '\u00fc@example.de'],
    ['J\u030c@example.de', '\u01f0@example.de'],
    ['ａｓｈａ@ｅｘａｍｐｌｅ.in', 'asha@example.in'],
    ['as\u3164ha\ufe0f@example.in', 'asha@example.in'],
    ['u\u200b\u0308@example.de', '\u00fc@example.de'],
    ['\u200b asha@example.in', 'asha@example.in'],
    ['ΝΙΚΟΣ.Α@example.gr', 'νικος.α@example.gr'],
    ['a@xn--bcher-kva.de', 'a@BÜCHER.de'],
    ['a@mail.XN--STRAE-OQA.de', 'a@mail.straße.de'],
    ['a@xn--3xa.gr', 'a@Σ.gr'],
    ['a@xn--mgba3gch31f060k.ir', 'a@نامه\u200cای.ir'],
  ])('%j is compared as %j', (a, b) => expect(comparableEmail(a)).toBe(comparableEmail(b)));

  test.each([
    ['strasse@example.de', 'straße@example.de'],
    ['xn--bcher-kva@example.de', 'bücher@example.de'],
    ['a@axn--bcher-kva.de', 'a@abücher.de'],
    ['a.sha@example.in', 'asha@example.in'],
    ['asha@example.in', 'аsha@example.in'],
  ])('%j and %j are two people’s', (a, b) =>
    expect(comparableEmail(a)).not.toBe(comparableEmail(b)),
  );

  test('in comparable form stays the same in comparable form', () => {
    const changed = everyCharacter
      .map(comparableEmail)
      .filter((compared) => comparableEmail(compared) !== compared);
    expect(changed).toEqual([]);

    const marks = fc.constantFrom(
      '\u0308',
      '\u030c',
      '\u0345',
      '\u200b',
      '\u00ad',
      '\u3164',
      ' ',
      'Σ',
      'J',
    );
    const unit = fc.oneof(fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }), marks);
    fc.assert(
      fc.property(fc.string({ unit }), (text) => {
        const compared = comparableEmail(text);
        expect(comparableEmail(compared)).toBe(compared);
        expect(compared).toBe(compared.normalize('NFKC'));
        expect(compared).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u);
      }),
      { numRuns: 1000 },
    );
  });

  test('is the same with its domain in punycode, which browsers send', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const label = text.normalize('NFKC').replace(/[^\p{L}\p{N}\p{M}\p{Cf}-]/gu, '');
        const ascii = comparableEmail(`a@mail.${domainToASCII(label)}.in`);
        expect(comparableEmail(ascii)).toBe(ascii);
        expect(comparableEmail(`a@mail.${domainToUnicode(label)}.in`)).toBe(ascii);
      }),
      { numRuns: 1000 },
    );
  });

  test.each(['  ', ' \u2060\u00ad ', '\u3164'])('%j is looked up under no key', (text) =>
    expect(emailIdentity(text)).toBeUndefined(),
  );

  test('is looked up under a key of at most 1024 bytes', () => {
    expect(emailIdentity('a'.repeat(1024))).toBeDefined();
    for (const text of [`a${'\u200b'.repeat(1024)}`, '\ufdfa'.repeat(200)])
      expect(emailIdentity(text)).toBeUndefined();
  });
});
