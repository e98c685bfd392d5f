import { domainToASCII, domainToUnicode } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FieldIssue, parsers } from '../../../shared/leads/field-types.ts';
import {
  comparableEmail,
  emailIdentity,
  lacksCountryCode,
  parsePhone,
} from '../../../shared/leads/identity.ts';
import { asciiDigits } from '../../../shared/text.ts';
import { processorMs } from '../../support/busy-machine.ts';
import { sampleOrganization } from '../../support/settings.ts';

test.each([
  ['98765 43210', true],
  ['०९८७६५४३२१०', true],
  ['98765 43210 ext. 5', true],
  ['+91 98765 43210', false],
  ['\u202A＋91 98765 43210', false],
  ['0091 98765 43210', false],
  ['91 98765 43210', false],
  ['+91 (0) 98765 43210', false],
  ['091 98765 43210', false],
])('whether the phone %j lacks a country code: %j', (text, isLacking) => {
  expect(lacksCountryCode(text, parsePhone(text) ?? '')).toBe(isLacking);
});

describe('a phone number', () => {
  test.each([
    '9876543210',
    '0 98765 43210',
    '98765.43210',
    '[98765] 43210',
    '919876543210',
    '+ 91 98765 43210',
    '+91-98765–43210',
    '(0091) 98765 43210',
    '++91 98765 43210',
    '+91 (0) 98765 43210',
    '00919876543210',
    '091 98765 43210',
    '+91\u00a098765\u00a043210',
    '+९१ ९८७६५ ४३२१०',
    '৯৮৭৬৫৪৩২১০',
    '＋９１９８７６５４３２１０',
    '\u202a+91 98765 43210\u202c',
    '98765\u200b43210',
    '+91 98765 43210 ext 5',
  ])('%j is +919876543210', (text) => expect(parsePhone(text)).toBe('+919876543210'));

  test.each([
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['0044 20 7946 0958', '+442079460958'],
    ['+1 (555) 010-0199', '+15550100199'],
    ['+39 06 1234567', '+39061234567'],
  ])('%j is %s', (text, phone) => expect(parsePhone(text)).toBe(phone));

  test('is taken when possible, though no numbering plan knows it yet', () =>
    expect(parsePhone('+91 11111 11111')).toBe('+911111111111'));

  test.each([
    '',
    '+91',
    '1234567',
    'call me',
    '1-800-FLOWERS',
    '98765 43210 / 98765 43211',
    '+999 123456',
    '+91987654321012345',
    '98765 43210 (mobile)',
    '+91 98765 4321O',
  ])('%j is not a phone', (text) => expect(parsePhone(text)).toBeUndefined());

  test('a number of a context is never a phone, however often it is read', () => {
    for (const _ of [1, 2, 3]) expect(parsePhone('98765 43210;phone-context=+91')).toBeUndefined();
  });

  test('a phone number that was read is the same when it is read again', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...'0123456789'),
      minLength: 4,
      maxLength: 16,
    });
    const typed = fc
      .tuple(fc.constantFrom('', '+', '00', '0', '+91', '+1', '+44', '(+91)', '91'), digits)
      .map(([start, rest]) => start + rest);
    fc.assert(
      fc.property(typed, (text) => {
        const phone = parsePhone(text);
        if (phone !== undefined) expect(parsePhone(phone)).toBe(phone);
      }),
      { numRuns: 1000 },
    );
  });

  test('is never more than fifteen digits after the plus', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789+-() ०९'), maxLength: 32 }),
        (text) => {
          expect(parsePhone(text) ?? '+911').toMatch(/^\+[1-9]\d{1,14}$/);
        },
      ),
      { numRuns: 1000 },
    );
  });
});

/**
 * Every code point that Unicode has assigned, without the ideographs and syllables that only stand for themselves: all others are in
 * planes 0, 1, 2 and 14.
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
  const read = (text: string) => parsers.email(text, field, organization);

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

  test('a text of 255 characters is not an email', () =>
    expect(read(`${'a'.repeat(243)}@example.com`)).toBeInstanceOf(FieldIssue));

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

  test('in its compared form is compared the same, whatever the characters', () => {
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
});
