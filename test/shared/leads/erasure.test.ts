import { describe, expect, test } from 'vitest';
import { erasedMark, identitiesIn, mentionsIn, tracesOf, withoutPerson } from '../../../shared/leads/erasure.ts';
import type { TimelineEntry } from '../../../shared/leads/timeline.ts';

const person = { phones: ['+919812345678', '+14155550123'], emails: ['asha.rao+x@example.com'] };
const traces = tracesOf(person);
const note = (text: string): TimelineEntry => ({ type: 'note_added', at: '', actorId: 7, via: 'api', keyId: 'k', text });
const erasedText = (text: string) => (withoutPerson(note(text), traces) as { text: string }).text;

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
  ])('not in %s, which is another’s', (other) => {
    expect(erasedText(`Before ${other}, after.`)).toBe(`Before ${other}, after.`);
  });
});

describe('a phone of eight digits that look like a day', () => {
  const day = tracesOf({ phones: ['+21620261121'], emails: [] });

  test('leaves the time of an entry and the values of others’ days as they are', () => {
    const at = '2026-11-21T08:00:00.000Z';
    const changes = [{ field: 'start_on', from: null, to: '2026-11-21' }];
    const entries = [
      { type: 'note_added', at, actorId: 7, via: 'api', keyId: '20261121', text: 'Call on 2026-11-21.' },
      { type: 'lead_updated', at, actorId: 7, via: 'api', keyId: 'k', changes },
    ] as TimelineEntry[];
    expect(entries.map((entry) => withoutPerson(entry, day))).toEqual(entries);
    expect(mentionsIn({ start_on: '2026-11-21' }, day)).toEqual([]);
  });

  test('is found as a phone', () => {
    const text = 'Call +216 20 261 121 or 20261121.';
    expect(withoutPerson({ ...note(text), at: '2026-11-21T08:00:00.000Z' }, day)).toMatchObject({
      text: `Call ${erasedMark} or ${erasedMark}.`,
    });
  });
});

test('an enquiry that the person sent keeps what the lead had, and its shape', () => {
  const entry: TimelineEntry = {
    type: 'captured',
    at: '2026-01-01T00:00:00.000Z',
    actorId: 7,
    keyId: 'k',
    keyLabel: 'website',
    source: 'Website',
    notes: 'My name is Asha',
    attribution: { pageUrl: 'https://example.com/?name=asha' },
    filled: ['city'],
    kept: [
      { field: 'name', current: 'Ravi', submitted: 'Asha' },
      { field: 'email', current: 'ravi@example.com', submitted: 'Asha.Rao+x@example.com' },
    ],
  };

  expect(withoutPerson(entry, traces)).toEqual({
    ...entry,
    notes: erasedMark,
    attribution: { pageUrl: erasedMark },
    kept: [
      { field: 'name', current: 'Ravi', submitted: erasedMark },
      { field: 'email', current: 'ravi@example.com', submitted: erasedMark },
    ],
  });
});

test('a change from or to the person’s phone loses that value alone', () => {
  const changes = [
    { field: 'phone', from: '+919812345678', to: '+919800000000' },
    { field: 'city', from: null, to: 'Pune' },
  ];
  const entry: TimelineEntry = { type: 'lead_updated', at: '', actorId: 7, via: 'api', keyId: 'k', changes };

  expect(withoutPerson(entry, traces)).toEqual({ ...entry, changes: [{ ...changes[0], from: erasedMark }, changes[1]] });
});

test('a person without a trace leaves every entry as it is', () => {
  expect(withoutPerson(note('anything'), tracesOf({ phones: [], emails: [] }))).toEqual(note('anything'));
});

test('a timeline tells the phones and e-mails that the person had or sent', () => {
  const entries: TimelineEntry[] = [
    { type: 'lead_updated', at: '', actorId: 7, via: 'api', keyId: 'k', changes: [{ field: 'email', from: 'A@x.in', to: null }] },
    {
      type: 'captured',
      at: '',
      actorId: 7,
      keyId: 'k',
      keyLabel: 'w',
      source: 'W',
      filled: [],
      kept: [{ field: 'phone', current: '+911', submitted: '+912' }],
    },
    note('+913'),
  ];

  expect(identitiesIn(entries)).toEqual({ phones: ['+911', '+912'], emails: ['a@x.in'] });
});

test('names the fields of another lead that hold the person’s phone or e-mail', () => {
  const fields = {
    name: 'Ravi',
    phone: '+919800000000',
    guardian_phone: '+919812345678',
    remarks: 'of asha.rao+x@example.com',
    tags: ['x', '9812345678'],
  };

  expect(mentionsIn(fields, traces)).toEqual(['guardian_phone', 'remarks', 'tags']);
});
