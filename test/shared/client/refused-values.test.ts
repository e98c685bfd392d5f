import { expect, test } from 'vitest';
import { withoutRefusedValues } from '../../../shared/client/refused-values.ts';

const person = { name: 'Asha', phone: '+91 98220 12345' };

test('every kind of optional value can be taken out, and its text is in the notes', () => {
  const enquiry = {
    ...person,
    email: 'asha@',
    source: '',
    pipelineId: 0,
    externalId: '',
    attribution: { utmSource: 'x'.repeat(201) },
    fields: { countries: ['xx', 'ca'], gpa: 'high', course: 'mba' },
  };

  const reduced = withoutRefusedValues(enquiry, [
    'email',
    'source',
    'pipelineId',
    'externalId',
    'attribution.utmSource',
    'countries',
    'gpa',
  ]);

  expect(reduced?.enquiry).toEqual({
    ...person,
    fields: { course: 'mba' },
    notes: [
      'email: asha@',
      'source: ',
      'pipelineId: 0',
      'externalId: ',
      `attribution: {"utmSource":"${'x'.repeat(201)}"}`,
      'countries: ["xx","ca"]',
      'gpa: high',
    ].join('\n'),
  });
  expect(Object.keys(reduced?.removed ?? {})).toHaveLength(7);
});

test('notes that are too long or hold a broken character are cut and cleaned, and the values stay whole', () => {
  const notes = `${'क'.repeat(5001)}\0`;
  const enquiry = { ...person, notes, email: 'a\ud800' };

  const reduced = withoutRefusedValues(enquiry, ['notes', 'email'])?.enquiry;

  expect([...(reduced?.notes ?? '')]).toHaveLength(5000);
  expect(reduced?.notes?.endsWith('…\n\nemail: a\ufffd')).toBe(true);
  expect(reduced).toMatchObject(person);
});

test('nothing can be removed if the name, the phone or a value that was not sent is refused', () => {
  for (const refused of [
    ['phone'],
    ['name', 'email'],
    ['student_no'],
    ['Idempotency-Key'],
    ['body'],
  ])
    expect(withoutRefusedValues({ ...person, email: 'asha@' }, refused)).toBeUndefined();
});

test('the enquiry itself is not changed', () => {
  const enquiry = { ...person, fields: { gpa: 'high' } };

  withoutRefusedValues(enquiry, ['gpa']);

  expect(enquiry).toEqual({ ...person, fields: { gpa: 'high' } });
});

test('null counts as no value: it is omitted, and the notes do not mention it', () => {
  const sent = {
    ...person,
    email: null,
    notes: null,
    fields: null,
    attribution: { utmTerm: null },
  };

  const reduced = withoutRefusedValues(sent as never, ['email', 'notes', 'fields']);

  expect(reduced).toEqual({ enquiry: { ...person, attribution: {} }, removed: {} });
});

test('notes that are not a text become one', () => {
  const reduced = withoutRefusedValues({ ...person, notes: ['MBA', 5] } as never, ['notes']);

  expect(reduced?.enquiry).toEqual({ ...person, notes: '["MBA",5]' });
});
