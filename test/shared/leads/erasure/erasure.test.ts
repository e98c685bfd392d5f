import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  erasedMark,
  foundIn,
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
const erasedText = (text: string, identities = person) =>
  (withoutPerson(note(text), new PersonSearch(identities)) as { text: string }).text;

describe('a person is found in a text', () => {
  test.each([
    '+919812345678',
    '9812345678',
    '09812345678',
    '98123 45678',
    '+91 98123-45678',
    '0091 (98123) 45678',
    '+91 (0) 98123.45678',
    '%2B91981234567%38',
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
    '&#x2B;91 98123&zwj;45678',
    '98123&nbsp;45678',
    '98123=C2=A045678',
    '98123=\r\n45678',
    '=2B91=2098123=2045678',
    '%252B91%2B98123%2B45678',
    '&amp;#43;919812345678',
    '\\u002B91\\u00a098123\\u00a045678',
    'asha&period;rao&plus;x&commat;example.com',
    'asha.rao=2Bx=40example.com',
    'asha%2Erao%2Bx%2525252540example%2Ecom',
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

  test.each([
    ['/?tel=%209812345678', '/?tel=%20[erased]'],
    ['/?to=%2Fme%3Femail%3Dasha.rao%2Bx%40example.com', '/?to=%2Fme%3Femail%3D[erased]'],
    [
      '/?note=Write+to+asha.rao%2Bx%40example.com+or:98123+45678',
      '/?note=Write+to+[erased]+or:[erased]',
    ],
    [
      '{"a":"Phone:\\n9812345678\\nasha.rao+x@example.com"}',
      '{"a":"Phone:\\n[erased]\\n[erased]"}',
    ],
    ['/?id=11&to=3Dasha.rao+x@example.com', '/?id=11&to=3D[erased]'],
    ['22=2B919812345678', '22[erased]'],
    ['Tel:=209812345678=20', 'Tel:=20[erased]=20'],
    ['x%A0asha.rao+x@example.com', 'x%A0[erased]'],
    ['&#9999999; 9812345678', '&#9999999; [erased]'],
    ['(98123 45678, home)', '([erased], home)'],
    ['asha.rao+x@example.com..', '[erased]..'],
  ])('in %s, of which the rest stays', (text, erased) => expect(erasedText(text)).toBe(erased));

  const withIdn = ['asha@bücher.de', 'ΝΙΚΟΣ@xn--3xa.gr'];
  const overlapping = ['+919812345678', 'a@b.in', 'b.in@c.in'];
  const ofUnknownCountry = ['+99912345678'];
  const withShortNational = ['+6834567'];
  test.each([
    [['a%41b@example.com'], 'a%41b@example.com, a%2541b%40example.com', '[erased], [erased]'],
    [['nora@example.com'], 'CORP\\nora@example.com', 'CORP\\[erased]'],
    [['a/b@example.com'], 'a\\/b@example.com', '[erased]'],
    [withIdn, 'asha@xn--bcher-kva.de, νικοσ@Σ.gr', '[erased], [erased]'],
    [overlapping, 'a@b.in@c.in, 9812345678', '[erased]@c.in, [erased]'],
    [ofUnknownCountry, '+999 1234-5678, 0099912345678', '[erased], [erased]'],
    [ofUnknownCountry, '12345678', '12345678'],
    [['+491234567890123'], '0049 (0) 1234567890123', '[erased]'],
    [withShortNational, '+683 4567, 006834567', '[erased], [erased]'],
    [withShortNational, 'Room 4567, 6834567', 'Room 4567, 6834567'],
  ])('the person of %j is erased from %s', (identities, text, erased) =>
    expect(erasedText(text, identities)).toBe(erased),
  );

  test('by a phone that was possible when it was stored, but no longer is', () => {
    const stored = '+5215512345678'; // Mexico has dropped the 1 behind its code
    expect(possiblePhone(stored)).toBeUndefined();

    const identities = identitiesIn([change('phone', stored, null)]);

    expect(identities).toEqual([stored]);
    expect(erasedText('At +52 1 55 1234 5678.', [...identities])).toBe('At [erased].');
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
  const had = [change('email', 'A@x.in', null), change('phone', '+431234', null)];
  const entries = [...had, guardian, enquiry(kept), note('+919812345673')];

  expect(identitiesIn(entries)).toEqual(['a@x.in', '+431234']);
});

test.each([
  ['phone', erasedMark],
  ['phone', '+919…'],
  ['phone', 'of +919812345678'],
  ['phone', '+919812345678, 22'],
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

test('an email or a phone of another lead that contains the person’s phone stays as it is', () => {
  const kept = [
    { field: 'email', current: '9812345678@example.com', submitted: 'ravi@example.com' },
  ];
  for (const entry of [enquiry(kept), change('phone', null, '')])
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
  expect(Object.keys(withoutPerson(enquiry(kept), pattern))).toEqual(Object.keys(enquiry(kept)));
});

test('an enquiry that names the person’s phone in another field loses only that phone', () => {
  const kept = [
    { field: 'of_9812345678', current: '+919800000000', submitted: '+919812345678' },
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
  expect(foundIn({ from: null, to: ['x', '1-415-555-0123'], count: 5 }, pattern)).toEqual([
    '+14155550123',
  ]);
});
