import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { FieldReason } from '../../../shared/contract/types.ts';
import { parsers } from '../../../shared/leads/field-types.ts';
import {
  FieldIssue,
  isEmptyValue,
  type RawValue,
  withAllOptions,
} from '../../../shared/leads/field-values.ts';
import { sampleOrganization } from '../../support/settings.ts';

const organization = sampleOrganization();

/** A sent value as the field of the sample organization reads it; the sentence and the reason of a refusal, null for empty. */
function read(fieldKey: string, raw: RawValue): unknown {
  const field = organization.fieldByKey.get(fieldKey)!;
  if (isEmptyValue(raw, field.type)) return null;
  const value = parsers[field.type](raw, field, organization);
  return value instanceof FieldIssue ? { refused: value.sentence, reason: value.reason } : value;
}

const refused = (part: string) => ({
  refused: expect.stringContaining(part),
  reason: expect.any(String),
});

describe('text', () => {
  test.each([
    ['city', '  Pune ', 'Pune'],
    ['remarks', '  two\nlines\n', '  two\nlines\n'],
  ])('%s takes %j', (fieldKey, raw, value) => expect(read(fieldKey, raw)).toBe(value));

  test.each([
    ['city', 5],
    ['city', ['Pune']],
    ['remarks', 5],
  ])('%s refuses %j', (fieldKey, raw) =>
    expect(read(fieldKey, raw)).toEqual(refused('must be a string')),
  );
});

describe('empty values', () => {
  test.each([
    'city',
    'remarks',
    'budget',
    'start_on',
    'guardian_phone',
    'work_email',
    'portfolio',
    'course',
    'interests',
    'wants_call',
    'mentor',
  ])('%s is empty for null and for only blanks', (fieldKey) => {
    for (const raw of [null, '', ' \t\n', '\u00a0']) expect(read(fieldKey, raw)).toBeNull();
  });

  test.each([[[]], [['']], [['', ' ']]])('a list of options is empty for %j', (raw) =>
    expect(read('interests', raw)).toBeNull(),
  );
});

describe('a text as long as a body can be', () => {
  const long = 99_000;
  const texts = [
    `1${'0'.repeat(long)}1`,
    `${'1,'.repeat(long / 2)}x`,
    `${' '.repeat(long)}x`,
    `a@${'a-'.repeat(long / 2)}`,
    `a@${'a.'.repeat(long / 2)}@`,
    `http://${'a'.repeat(long)} `,
    '\u0966'.repeat(long),
    `+91${'('.repeat(long)}`,
    ','.repeat(long),
    'red,'.repeat(long / 4),
    `1${'\u0301'.repeat(long / 4)}${'\u0323'.repeat(long / 4)}`,
    `${'\u200b'.repeat(long / 3)}x`,
  ];
  // Five readings of each: one that looks at every character once for each other one does not end in the test's time.
  test.each(Object.keys(parsers))(
    'is read by %s in time that grows with its length alone',
    (type) => {
      const [, field] = [...organization.fieldByKey].find(([, one]) => one.type === type) ?? [];
      if (!field) throw new Error(`The organization has no field of type ${type}.`);
      for (const text of texts) {
        for (let readings = 0; readings < 5; readings += 1)
          parsers[field.type](text, field, organization);
      }
    },
  );
});

describe('date', () => {
  test.each<RawValue>([
    '2026-02-30',
    '2026-13-01',
    '0000-01-01',
    '2026/11/20',
    '2026-11-20T00:00:00Z',
    20261120,
  ])('refuses %j', (raw) => expect(read('start_on', raw)).toEqual(refused('must be a')));

  test('accepts every day of the calendar unchanged', () => {
    fc.assert(
      fc.property(
        fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true }),
        (date) => {
          const day = date.toISOString().slice(0, 10);
          expect(read('start_on', ` ${day} `)).toBe(day);
        },
      ),
    );
  });
});

describe('select', () => {
  test.each([
    ['mba', 'mba'],
    ['Mba', 'mba'],
    [' product design ', 'design'],
  ])('%j is the option %s', (raw, value) => expect(read('course', raw)).toBe(value));

  test.each<[RawValue, string]>([
    ['bba', 'mba, design.'],
    ['__proto__', 'mba, design.'],
    [['mba'], 'must be one option, not a list.'],
    [1, 'must be a string.'],
  ])('refuses %j, with %s', (raw, sentence) =>
    expect(read('course', raw)).toEqual(refused(sentence)),
  );

  test('an exact value goes before a label of another option, and an option that is being dropped is none', () => {
    const options = [
      { value: 'b', label: 'a' },
      { value: 'a', label: 'b' },
      { value: 'c', label: 'C', retired: true as const },
    ];
    const field = { ...organization.fieldByKey.get('course')!, options };
    expect(parsers.select('b', field, organization)).toBe('b');
    expect(parsers.select('c', field, organization)).toMatchObject({
      sentence: 'must be one of its options: b, a.',
    });
    expect(parsers.select('c', withAllOptions(field), organization)).toBe('c');
  });
});

describe('multiselect', () => {
  test.each<[RawValue, string[]]>([
    [
      ['loan', 'hostel'],
      ['hostel', 'loan'],
    ],
    [['Hostel', 'hostel', 'HOSTEL'], ['hostel']],
    ['study abroad', ['abroad']],
    ['abroad, hostel', ['hostel', 'abroad']],
    ['Education loan, bank', ['loan']],
    ['hostel,', ['hostel']],
  ])('%j is %j', (raw, value) => expect(read('interests', raw)).toEqual(value));

  test.each<[RawValue, string]>([
    [['hostel', 'pool'], 'hostel, loan, abroad.'],
    ['pool', 'hostel, loan, abroad; '],
    [true, 'a list of its options'],
    [',', 'its options'],
    ['hostel;loan', 'abroad; send several as a list, or with commas between them.'],
  ])('refuses %j, with %s', (raw, sentence) =>
    expect(read('interests', raw)).toEqual(refused(sentence)),
  );
});

describe('checkbox', () => {
  test.each<RawValue>([true, 'TRUE', ' y ', 'on', 1, 'checked'])('%j is yes', (raw) =>
    expect(read('wants_call', raw)).toBe(true),
  );
  test.each<RawValue>([false, 'No', 'n', 'OFF', 0, 'unchecked'])('%j is no', (raw) =>
    expect(read('wants_call', raw)).toBe(false),
  );
  test.each<[RawValue]>([['maybe'], [2], [['yes']]])('refuses %j', (raw) =>
    expect(read('wants_call', raw)).toEqual(refused('true or false')),
  );
});

describe('url', () => {
  test.each(['https://example.in', 'http://localhost:8080/a?b=c#d', 'HTTPS://उदाहरण.भारत/पथ'])(
    'takes %s as typed',
    (raw) => expect(read('portfolio', raw)).toBe(raw),
  );
  test.each<RawValue>([
    'ftp://example.in',
    'javascript:alert(1)',
    'https://',
    'https://example.in/a b',
    'data:,https://example.in',
    'https://[::1',
    5,
  ])('refuses %j', (raw) => expect(read('portfolio', raw)).toEqual(refused('must be a')));
});

describe('IDs of sources and users', () => {
  test.each<[string, RawValue, number]>([
    ['second_source', 3, 3],
    ['source', '1', 1],
    ['mentor', ' 08 ', 8],
    ['assigned_to', 7, 7],
  ])('%s takes %j', (fieldKey, raw, id) => expect(read(fieldKey, raw)).toBe(id));

  test.each<[string, string | number, FieldReason]>([
    ['source', 99, 'source_not_found'],
    ['source', 4, 'source_not_active'],
    ['assigned_to', 9, 'owner_not_active'],
    ['assigned_to', '2147483648', 'owner_not_found'],
    ['mentor', 9, 'user_not_active'],
    ['mentor', 77, 'user_not_found'],
  ])('%s refuses %j as %s, and names the list to look at', (fieldKey, raw, reason) => {
    const [noun, list] = fieldKey === 'source' ? ['source', 'lead-sources'] : ['user', 'users'];
    const field = organization.fieldByKey.get(fieldKey)!;
    expect(parsers[field.type](raw, field, organization)).toEqual(
      new FieldIssue(
        reason,
        `must be the ID of an active ${noun}.`,
        `GET /api/v1/${list} lists them`,
      ),
    );
  });

  test.each<RawValue>(['Website', true, '1.0'])('a source is not %j', (raw) =>
    expect(read('source', raw)).toEqual({
      ...refused('must be the ID of an active source'),
      reason: 'source_not_found',
    }),
  );
});

test.each<[string, RawValue, string]>([
  ['budget', 1e300, 'out_of_range'],
  ['budget', '1e-200', 'out_of_range'],
  ['budget', '123456789012345678', 'out_of_range'],
  ['interests', 5, 'wrong_type'],
])('%s refuses %j for the reason %s', (fieldKey, raw, reason) =>
  expect(read(fieldKey, raw)).toMatchObject({ reason }),
);

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

  const notNumbers = '12 lakh|1 000|1,00|1,2345|0,500|1,500e3|,123|12.|1.2.3|0x10|Infinity|.|+e5';
  test.each<[RawValue]>([...notNumbers.split('|'), true, ['12'], Number.NaN].map((raw) => [raw]))(
    '%j is not a number',
    (raw) => expect(read('budget', raw)).toEqual(refused('must be a number')),
  );

  test.each<RawValue>([9_007_199_254_740_992, '9007199254740993', '1e400', '1'.repeat(38)])(
    '%j is too large to be held exactly',
    (raw) => expect(read('budget', raw)).toEqual(refused('must be a number')),
  );
  test.each<RawValue>(['1e-131', 1e-131, '-4e-999'])('%j is too small to be held', (raw) =>
    expect(read('budget', raw)).toEqual(refused('at least')),
  );
  test('more digits than a number holds are refused, zeros around them apart', () => {
    for (const text of [`0.${'1234567890'.repeat(4)}`, '1.00000000000000001'])
      expect(read('budget', text)).toEqual(refused('17 digits'));
    expect(read('budget', `${'0'.repeat(40)}.5${'0'.repeat(40)}`)).toBe(0.5);
    expect(read('budget', '12345678901234567e-10')).toBe(1_234_567.8901234567);
  });

  test('a number that is read is finite and within bounds, whatever is sent', () => {
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
