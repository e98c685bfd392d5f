import fc from 'fast-check';
import { getCountries, getExampleNumber } from 'libphonenumber-js/min';
import mobiles from 'libphonenumber-js/mobile/examples';
import { describe, expect, test } from 'vitest';
import {
  lacksCountryCode,
  possiblePhone,
  readPhone,
  storedPhone,
} from '../../../shared/leads/identity.ts';

test.each([
  ['98765 43210', true],
  ['०९८७६५४३२१०', true],
  ['98765 43210 ext. 5', true],
  ['Mob. 98765 43210', true],
  ['+91 98765 43210', false],
  ['\u202A＋91 98765 43210', false],
  ['0091 98765 43210', false],
  ['91 98765 43210', false],
  ['+91 (0) 98765 43210', false],
  ['091 98765 43210', false],
  ['91 91 98765 43210', false],
])('whether the phone %j lacks a country code: %j', (text, isLacking) => {
  expect(lacksCountryCode(text, '+919876543210')).toBe(isLacking);
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
    '98765\t43210',
    '+९१ ९८७६५ ४३२१०',
    '৯৮৭৬৫৪৩২১০',
    '＋９１９８７６５４３２１０',
    '\u202a+91 98765 43210\u202c',
    '98765\u200b43210',
    '📞 98765 43210 ☎️',
    '🇮🇳+91 📱 98765 43210',
    "'+91 98765 43210,",
    '98765 43210 ??',
    '+91 98765 43210 ext 5',
    '+91 98765 43210,,5',
    'tel:+91-98765-43210;ext=5',
    'TEL:09876543210',
    'whatsapp:+919876543210',
    'p:+919876543210',
    'wa.me/919876543210',
    'Chat: https://wa.me/+919876543210?text=Course%202',
    'Ph: 98765 43210',
    'Mob9876543210',
    'M 98765 43210',
    '☎ (Mobile No.) - 98765 43210',
    '98765 43210 (M)',
    '+91 98765 43210 (WhatsApp)',
    '9876543210.0',
    '09876543210.00',
    '+919876543210.0',
    '9876543210,0',
    '9876543210.000000',
    '+91 91 98765 43210',
    '+91 +91 98765 43210',
    '+91-(0091) 98765 43210',
    '+91 91 91 98765 43210',
    '00 91 91 98765 43210',
    '0 +91 98765 43210',
    '91 91 98765 43210',
    '+0091 98765 43210',
    '+91 98765 43210.0',
    '(+91) 98765-43210.00',
    'callto:+919876543210',
    'sms:+919876543210',
    'https://api.whatsapp.com/send?phone=919876543210&text=Hi',
    'Cellphone: 98765 43210',
    'Mo. 98765 43210',
    'Whats App 98765 43210',
    'Office - 98765 43210',
    '98765 43210 (H)',
    'Tél. : +91 98765 43210',
    '9️⃣8️⃣7️⃣6️⃣5️⃣4️⃣3️⃣2️⃣1️⃣0️⃣',
  ])('%j is +919876543210', (text) => expect(readPhone(text).phone).toBe('+919876543210'));

  test.each([
    ['+44 (0)20 7946 0958', '+442079460958'],
    ['0044 20 7946 0958', '+442079460958'],
    ['+1 (555) 010-0199', '+15550100199'],
    ['+39 06 1234567', '+39061234567'],
    ['wa.me/971501234567', '+971501234567'],
    ['+91 +971 50 123 4567', '+971501234567'],
    ['+971 971 50 123 4567', '+971501234567'],
    ['+971 50 123 456', '+97150123456'], // a digit forgotten, by the metadata of today
    ['+49 49 151 23456789', '+494915123456789'],
    ['+49 89 636-0', '+49896360'],
    ['+49/171/1234567', '+491711234567'],
    ['+33 1.42.68.53.00', '+33142685300'],
    ['022 2345 6789', '+912223456789'],
    ['011 2345 6789', '+911123456789'],
    ['1800 11 2222', '+911800112222'],
    ['000 800 100 1234', '+910008001001234'],
    ['+49.711.12345.0', '+49711123450'],
    ['1800 111 2222', '+9118001112222'],
    ['1860 266 0000', '+9118602660000'],
  ])('%j is %s', (text, phone) => expect(readPhone(text).phone).toBe(phone));

  test('is accepted if its length and first digit are valid, even if nobody has it yet', () =>
    expect(readPhone('+91 11111 11111').phone).toBe('+911111111111'));

  const several = 'holds more than one phone number: keep one.';
  const shortened = 'holds more than one phone number, the second one shortened: keep one.';
  const letters = 'holds letters: write only the number.';
  const digitsLost = 'lost digits in a spreadsheet: write all of them.';
  const ofCountry = 'is not a number of its country; check the country code and the digits.';
  const orBegin = 'begin with + and the country code, or check its digits.';
  const unreadable =
    'must be a phone number with a country code; a number without one is read as an Indian number.';
  test.each([
    ['', unreadable],
    ['+91', ofCountry],
    ['+', unreadable],
    ['+91|98765 43210', ofCountry],
    ['98765_43210', unreadable],
    ['98765 4321', `is too short: it is not an Indian number; ${orBegin}`],
    ['1234567', `is too short: it is not an Indian number; ${orBegin}`],
    ['2345 6789', `is too short: it is not an Indian number; ${orBegin}`],
    ['+91 98765 4321', `is too short: it is not an Indian number; ${orBegin}`],
    ['98765 4321 ext 5', `is too short: it is not an Indian number; ${orBegin}`],
    ['9876543.0210', `is too long: it is not an Indian number; ${orBegin}`],
    ['98765432100', `is too long: it is not an Indian number; ${orBegin}`],
    ['971501234567', `is too long: it is not an Indian number; ${orBegin}`],
    ['+91 98765 4321 00', `is too long: it is not an Indian number; ${orBegin}`],
    ['+91987654321012345', `is too long: it is not an Indian number; ${orBegin}`],
    ['+91 00012 34567', `is too short: it is not an Indian number; ${orBegin}`],
    ['+999 123456', ofCountry],
    ['+49 1', ofCountry],
    ['011 2345 678', `is too short: it is not an Indian number; ${orBegin}`],
    ['+91 11 2345 67890', `is too long: it is not an Indian number; ${orBegin}`],
    ['1 650 253 0000', `is too long: it is not an Indian number; ${orBegin}`],
    ['+65 6123 45678', ofCountry],
    ['9'.repeat(251), unreadable],
    ['call me', letters],
    ['1-800-FLOWERS', letters],
    ['98765 43210 after 6', letters],
    ['+91 98765 4321O', letters],
    ['+1 800 555-CELL', ofCountry],
    ['p:<test lead: dummy data for phone_number>', letters],
    ['9.87654E+09', digitsLost],
    ['+9,2E9', digitsLost],
    ['id 9.87654E+09', letters],
    ['9.87654E+09 or so', letters],
    ['98765 43210 / 98765 43211', several],
    ['98765 43210, 022 2345 6789', several],
    ['98765 43210\n98765 43211', several],
    ['98765 43210 98765 43211', several],
    ['98765 43210 +91 98765 43211', several],
    ['98765 43210 or +49 89 636', several],
    ['+49 89 636 +49 89 637', several],
    ['022 2345 6789/90', shortened],
    ['022 2345 6789/90/91', shortened],
    ['011-23456789/90', shortened],
    ['0120 2345678 - 9', shortened],
    ['98765 43210 - 16', shortened],
    ['98765 43210 (2)', shortened],
    ['98765 43210 16', shortened],
    ['98765 43210, 16', shortened],
    ['+1 650 555 0112 / 13', shortened],
    ['+65 6123 4567 / 68', shortened],
    ['+49 171 1234567/8', shortened],
    ['+49 171 1234567 (2)', shortened],
    ['+971 4 123 4567 / 68', shortened],
  ])('%j is not a phone', (text, sentence) => expect(readPhone(text)).toEqual({ sentence }));

  test('without a code is read as a number of the named country, if it is possible there', () => {
    const inGermany = (text: string) => readPhone(text, 'DE');
    expect(inGermany('0151 23456789').phone).toBe('+4915123456789');
    expect(inGermany('091 98765 43210').phone).toBe('+49919876543210');
    expect(inGermany('12').sentence).toBe(ofCountry);
    expect(inGermany('+91 98765 4321').sentence).toBe(
      `is too short: it is not an Indian number; ${orBegin}`,
    );
    expect(readPhone('(555) 010-0199', 'US').phone).toBe('+15550100199');
  });

  test('a number with a phone-context is never a phone, however often it is read', () => {
    for (const _ of [1, 2, 3])
      expect(readPhone('98765 43210;phone-context=+91').phone).toBeUndefined();
  });

  test('of every region is read as it is, with decimals and behind tel:, and never as another', () => {
    const examples = getCountries().map(
      (region) => getExampleNumber(region, mobiles)?.number ?? '',
    );
    const countOf = (written: (phone: string) => string) => {
      const counts = { right: 0, wrong: 0, refused: 0 };
      for (const phone of examples) {
        const read = readPhone(written(phone)).phone;
        counts[read === phone ? 'right' : read === undefined ? 'refused' : 'wrong'] += 1;
      }
      return counts;
    };
    const all = { right: 245, wrong: 0, refused: 0 };
    expect(countOf((phone) => phone)).toEqual(all);
    expect(countOf((phone) => `${phone}.0`)).toEqual(all);
    expect(countOf((phone) => `tel:${phone}`)).toEqual(all);
    // Those that can be Indian by their length and their first digit.
    const withoutPlus = countOf((phone) => phone.slice(1));
    expect(withoutPlus).toEqual({ right: 1, wrong: 31, refused: 213 });
  });

  test('a phone number that was read is the same when it is read again', () => {
    const digits = fc.string({
      unit: fc.constantFrom(...'0123456789'),
      minLength: 4,
      maxLength: 16,
    });
    const starts = ['', '+', '00', '0', '+91', '+1', '+44', '(+91)', '91', '+91 91', '+971 +'];
    const typed = fc
      .tuple(fc.constantFrom(...starts), digits, fc.constantFrom('', '.0', ' / 90', ' (M)'))
      .map((parts) => parts.join(''));
    fc.assert(
      fc.property(typed, (text) => {
        const { phone } = readPhone(text);
        if (phone === undefined) return;
        expect(readPhone(phone).phone).toBe(phone);
        expect(storedPhone(phone)).toBe(phone);
        expect(possiblePhone(phone)).toBe(phone);
      }),
      { numRuns: 1000 },
    );
  });

  test('is never more than fifteen digits after the plus', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'0123456789+-() ०९'), maxLength: 32 }),
        (text) => {
          expect(possiblePhone(text) ?? '+911').toMatch(/^\+[1-9]\d{1,14}$/);
        },
      ),
      { numRuns: 1000 },
    );
  });

  test.each([
    ['98765 4321', '+91987654321'],
    ['+919198765432', '+919198765432'],
    ['022 2345 6789/90', '+91222345678990'],
    ['98765 43210 / 98765 43211', undefined],
    ['091 98765 43210', '+919876543210'],
    ['09198765-43210', '+919876543210'],
    ['091 98765 432101', '+919198765432101'],
  ])('%j in a filter is the possible number %s', (text, phone) =>
    expect(possiblePhone(text)).toBe(phone),
  );

  test.each([
    [' +91 (98765) 4321', '+91987654321'],
    ['＋９１ ९८७६५-४३२१', '+91987654321'],
    ['98765 4321', undefined],
    ['+91 98765 4321 / 22', undefined],
    ['98765432 +919876543210', undefined],
  ])('%j as a lead may have it is %s', (text, phone) => expect(storedPhone(text)).toBe(phone));
});
