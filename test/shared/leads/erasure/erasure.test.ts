import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  erasedMark,
  identitiesIn,
  mentionsIn,
  withoutPerson,
} from '../../../../shared/leads/erasure/erasure.ts';
import { PersonSearch } from '../../../../shared/leads/erasure/person-search.ts';
import { possiblePhone } from '../../../../shared/leads/identity.ts';
import type { TimelineEntry } from '../../../../shared/leads/timeline.ts';

const person = ['+919812345678', '+14155550123', 'asha.rao+x@example.com', 'an-other@ex-ample.com'];
const pattern = new PersonSearch(person);
const note = (text: string): TimelineEntry => ({
  type: 'note_added',
  at: '',
  actorId: 7,
  via: 'api',
  keyId: 'k',
  text,
});
const erasedText = (text: string, search = pattern) =>
  (withoutPerson(note(text), search) as { text: string }).text;

describe('a person is found in a text', () => {
  test.each([
    '+919812345678',
    '9812345678',
    '09812345678',
    '98123 45678',
    '+91 98123-45678',
    '0091 (98123) 45678',
    '+91 (0) 98123.45678',
    '%2B919812345678',
    '(415) 555-0123',
    '1-415-555-0123',
    'asha.rao+x@example.com',
    'ASHA.RAO+X@EXAMPLE.COM',
    'asha.rao%2Bx%40example.com',
    'An-Other@ex-ample.com',
    '98123–45678',
    '98123\u201145678',
    '+91 98123\u200b45678',
    '९८१२३ ४५६७८',
    '＋९１ ९８１२३４５６７८',
    '%2B91%2098123%2045678',
    '98123+45678',
    '98123%C2%A045678',
    '98123%A045678',
    '98123/45678',
    '=2B91_98123_45678',
    '98123&thinsp;45678',
    '98123&zwj;45678',
    '98123&nbsp;45678',
    '98123=C2=A045678',
    '98123=\r\n45678',
    '=2B91=2098123=2045678',
    '%252B91%2B98123%2B45678',
    '&amp;#43;919812345678',
    '\\u002B91\\u00a098123\\u00a045678',
    'asha&period;rao&plus;x&commat;example.com',
    'asha.rao=2Bx=40example.com',
    'asha%2Erao%2Bx%40example%2Ecom',
    'asha.rao+x%40example.com',
    'asha.rao+x＠example．com',
    'asha.rao%EF%BC%8Bx%EF%BC%A0example%EF%BC%8Ecom',
  ])('as %s', (spelled) => {
    expect(erasedText(`Before ${spelled}, after.`)).toBe(`Before ${erasedMark}, after.`);
  });

  test.each([
    '19812345678',
    '98123456789',
    '9812345679',
    'natasha.rao+x@example.com',
    'asha.rao+x@example.com.au',
    'ashaXrao+x@example.com',
    '९९८१२३४५६७८',
    'ravi-asha.rao+x@example.com',
    "d'asha.rao+x@example.com",
    '2%2098123%203456789',
    '9812345678%39',
    '?tel=209812345678',
    '98/12345/6789',
    'ravi-asha.rao+x＠example．com',
    'asha.rao+x@example．com．au',
    '?tel=409812345678&to=b',
    'd%27asha.rao%2Bx%40example.com',
    'd&#39;asha.rao+x@example.com',
    'asha.rao+x@example.com%2Eau',
  ])('not in %s, which is another’s', (other) => {
    expect(erasedText(`Before ${other}, after.`)).toBe(`Before ${other}, after.`);
  });

  test('in an address, behind an escape', () => {
    expect(erasedText('/?tel=%209812345678')).toBe(`/?tel=%20${erasedMark}`);
    expect(erasedText('/?to=%2Fme%3Femail%3Dasha.rao%2Bx%40example.com')).toBe(
      `/?to=%2Fme%3Femail%3D${erasedMark}`,
    );
    expect(erasedText('/?note=Write+to+asha.rao%2Bx%40example.com+or:98123+45678')).toBe(
      `/?note=Write+to+${erasedMark}+or:${erasedMark}`,
    );
    expect(erasedText('{"a":"Phone:\\n9812345678\\nasha.rao+x@example.com"}')).toBe(
      `{"a":"Phone:\\n${erasedMark}\\n${erasedMark}"}`,
    );
  });

  test('by an email that looks encoded, and after one that is not', () => {
    const odd = new PersonSearch(['a%41b@example.com', 'nora@example.com']);
    expect(erasedText('a%41b@example.com and a%2541b%40example.com', odd)).toBe(
      `${erasedMark} and ${erasedMark}`,
    );
    expect(erasedText('CORP\\nora@example.com', odd)).toBe(`CORP\\${erasedMark}`);
  });

  test.each([
    '%25',
    '&amp;',
    '\\\\',
    '=3D',
    '1+',
    '9812345678%',
    '@%40',
    '=asha.rao+x@example.com',
  ])('in linear time in a text of many %s', (part) => {
    const text = part.repeat(50_000 / part.length);
    const before = process.threadCpuUsage();
    erasedText(text);
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });

  test('by an email whose domain has another spelling', () => {
    const search = new PersonSearch(['asha@bücher.de', 'ΝΙΚΟΣ@xn--3xa.gr']);

    expect(erasedText('asha@xn--bcher-kva.de, νικοσ@Σ.gr', search)).toBe('[erased], [erased]');
  });

  test('by a phone that was possible when it was stored, but no longer is', () => {
    const stored = '+5215512345678'; // Mexico has dropped the 1 behind its code
    expect(possiblePhone(stored)).toBeUndefined();

    const identities = identitiesIn([change('phone', stored, null)]);

    expect(identities).toEqual([stored]);
    expect(erasedText('At +52 1 55 1234 5678.', new PersonSearch(identities))).toBe(
      `At ${erasedMark}.`,
    );
  });

  test('by a phone of a country that is no longer known', () => {
    const search = new PersonSearch(['+99912345678']);

    expect(erasedText('At +999 1234-5678 or 0099912345678, not 12345678.', search)).toBe(
      `At ${erasedMark} or ${erasedMark}, not 12345678.`,
    );
  });
});

describe('a phone of eight digits that look like a day', () => {
  const day = new PersonSearch(['+21620261121']);

  test('leaves the time of an entry and the values of others’ days as they are', () => {
    const at = '2026-11-21T08:00:00.000Z';
    const entries = [
      { ...note('Call on 2026-11-21.'), at, keyId: '20261121' },
      { ...change('start_on', null, '2026-11-21'), at },
    ] as TimelineEntry[];
    expect(entries.map((entry) => withoutPerson(entry, day))).toEqual(entries);
    expect(mentionsIn({ start_on: '2026-11-21' }, day)).toEqual([]);
  });

  test('a phone of eight digits that look like a day is found in a text', () => {
    const text = 'Call +216 20 261 121 or 20261121.';
    expect(withoutPerson({ ...note(text), at: '2026-11-21T08:00:00.000Z' }, day)).toMatchObject({
      text: `Call ${erasedMark} or ${erasedMark}.`,
    });
  });
});

const enquiry = (kept: object[], more: object = {}): TimelineEntry =>
  ({
    type: 'captured',
    at: '',
    actorId: 7,
    keyId: 'k',
    keyLabel: 'w',
    source: 'W',
    filled: [],
    kept,
    ...more,
  }) as TimelineEntry;

const change = (field: string, from: string | null, to: string | null): TimelineEntry => ({
  type: 'lead_updated',
  at: '',
  actorId: 7,
  via: 'api',
  keyId: 'k',
  changes: [{ field, from, to }],
});

test('a timeline names the phones and emails that the lead had, not those that an enquiry only submitted', () => {
  const kept = [{ field: 'phone', current: '+919812345671', submitted: '+919812345672' }];
  const guardian = change('guardian_phone', '+919812345674', null);
  const entries = [change('email', 'A@x.in', null), guardian, enquiry(kept), note('+919812345673')];

  expect(identitiesIn(entries)).toEqual(['a@x.in']);
});

test.each([
  ['phone', erasedMark],
  ['phone', '+919…'],
  ['phone', '9812345678'],
  ['email', erasedMark],
  ['email', 'asha@exam…'],
])('a %s of %s on a timeline identifies nobody', (field, value) => {
  expect(identitiesIn([change(field, value, null)])).toEqual([]);
});

test('no search for whole phones and emails matches an empty text or a mark', () => {
  const anyText = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(erasedMark, '', '+', '+91', '…'),
    fc.emailAddress(),
  );
  const anyPhone = fc.stringMatching(/^\+[1-9]\d{3,14}$/);
  fc.assert(
    fc.property(fc.array(fc.oneof(anyText, anyPhone), { maxLength: 4 }), (values) => {
      const search = new PersonSearch(values);
      for (const text of ['', erasedMark, 'Call tomorrow at nine', '…'])
        expect(withoutPerson(note(text), search)).toEqual(note(text));
    }),
  );
});

test('a phone with a short national number is found only with the code of its country', () => {
  const short = new PersonSearch(['+6834567']);
  const text = (typed: string) => withoutPerson(note(typed), short);

  expect(text('Room 4567, 6834567')).toEqual(note('Room 4567, 6834567'));
  expect(text('At +683 4567 or 006834567')).toEqual(note(`At ${erasedMark} or ${erasedMark}`));
});

test('an email or a phone of another lead that contains the person’s phone stays as it is', () => {
  const kept = [
    { field: 'email', current: '9812345678@example.com', submitted: 'ravi@example.com' },
  ];
  const entry = enquiry(kept);

  expect(withoutPerson(entry, pattern)).toEqual(entry);
});

test('an enquiry that submitted the person’s email loses all that it submitted', () => {
  const kept = [
    { field: 'email', current: 'ravi@example.com', submitted: 'asha.rao+x@example.com' },
    { field: 'city', current: 'Pune', submitted: 'Delhi' },
  ];
  const attribution = { landingPage: '/asha', utmSource: 'letter' };
  const entry = enquiry(kept, { notes: 'Call at nine', submittedSource: 'Asha', attribution });

  expect(withoutPerson(entry, pattern)).toEqual({
    ...entry,
    kept: kept.map((value) => ({ ...value, submitted: erasedMark })),
    notes: erasedMark,
    submittedSource: erasedMark,
    attribution: { landingPage: erasedMark, utmSource: erasedMark },
  });
});

test('an enquiry that names the person’s phone in another field loses only that phone', () => {
  const kept = [
    { field: 'guardian_phone', current: '+919800000000', submitted: '+919812345678' },
    { field: 'remarks', current: 'Ask +91 98123 45678.', submitted: 'Delhi' },
  ];
  const entry = enquiry(kept, { notes: 'Call at nine', submittedSource: 'of 98123 45678' });

  expect(withoutPerson(entry, pattern)).toEqual({
    ...entry,
    submittedSource: `of ${erasedMark}`,
    kept: [
      { ...kept[0], submitted: erasedMark },
      { ...kept[1], current: `Ask ${erasedMark}.` },
    ],
  });
});

test('names the fields of another lead that hold the person’s phone or email', () => {
  const fields = {
    name: 'Ravi',
    phone: '+919800000000',
    guardian_phone: '+919812345678',
    remarks: 'of asha.rao+x@example.com',
    tags: ['x', '9812345678'],
  };

  expect(mentionsIn(fields, pattern)).toEqual(['guardian_phone', 'remarks', 'tags']);
});
