import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FieldIssues, readFields } from '../../../shared/leads/fields.ts';
import { readFilters } from '../../../shared/leads/filters.ts';
import type { FieldValues } from '../../../shared/leads/lead.ts';
import { placedAnywhere } from '../../support/generated/hostile.ts';
import { holds } from '../../support/reference/filters.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { filterFor, sampleFields, valueFor } from './random-filters.ts';

const organization = sampleOrganization();
const fields = sampleFields([7, 8, 9], [1, 3, 4]);

const matches = (values: FieldValues, filter: object): boolean => {
  const { filter: compiled, issues } = readFilters(organization, [filter]);
  expect(issues).toEqual([]);
  return compiled(values);
};

test('every filter of every field type finds exactly what the checker of the simulator finds', () => {
  const anyField = fc.constantFrom(...fields);
  const scenario = anyField.chain((field) =>
    fc.record({
      field: fc.constant(field),
      value: valueFor(field),
      filter: filterFor(field),
    }),
  );
  fc.assert(
    fc.property(scenario, ({ field, value, filter }) => {
      const values: FieldValues = value === undefined ? {} : { [field.key]: value };

      expect(matches(values, filter)).toBe(holds(filter, { fields: values }));
    }),
    { numRuns: 3000 },
  );
});

test('any JSON in any place of a filter makes a filter that can be run, or an issue in a sentence', () => {
  const scenario = fc.constantFrom(...fields).chain((field) =>
    fc.record({
      filter: placedAnywhere(filterFor(field), ['field', 'operator', 'value', 'values']),
      value: valueFor(field),
    }),
  );
  fc.assert(
    fc.property(scenario, ({ filter, value }) => {
      const { filter: compiled, issues } = readFilters(organization, [filter]);

      for (const { sentence } of issues) expect(sentence).toMatch(/\.$/);
      expect(
        typeof compiled(Object.fromEntries(fields.map(({ key }) => [key, value ?? 'x']))),
      ).toBe('boolean');
    }),
    { numRuns: 3000 },
  );
});

test.each([
  [null, /^must be an object/],
  ['name', /^must be an object, such as \{"field":"name",/],
  [
    { operator: 'contains', value: 'x' },
    /^has no field: name one by its key; GET \/api\/v1\/lead-fields lists the fields\.$/,
  ],
  [
    { field: 'ctiy', operator: 'is_empty' },
    /^does not name an active field \(did you mean city\?\)\.$/,
  ],
  [
    { field: 'nope', operator: 'is_empty' },
    /^does not name an active field; GET \/api\/v1\/lead-fields lists the fields\.$/,
  ],
  [{ field: 'old_notes', operator: 'is_empty' }, /^does not name an active field/],
  [{ field: 'constructor', operator: 'is_empty' }, /^does not name an active field/],
  [{ field: 7, operator: 'is_empty' }, /^has a field that is not a string: /],
  [
    { field: 'name', operator: 'is_empty', valeu: 1 },
    /^has an unknown property valeu \(did you mean value\?\); the properties are field, operator, value, values\.$/,
  ],
  [
    { field: 'city' },
    /^has no operator: city supports contains, equals, is_empty, is_not_empty\.$/,
  ],
  [
    { field: 'city', operator: 'contans', value: 'x' },
    /^has an operator that a field of type text does not support \(did you mean contains\?\): city supports contains, /,
  ],
  [{ field: 'city', operator: 'gt', value: 1 }, /^has an operator that a field of type text /],
  [{ field: 'name', operator: 'constructor' }, /^has an operator that a field of type text /],
  [
    { field: 'name', operator: { toString: null } },
    /^has an operator that a field of type text does not support: name supports contains, /,
  ],
  [
    { field: 'city', operator: 'contains', value: '' },
    /^has an empty value for city: to find leads without a value, use the operator is_empty\.$/,
  ],
  [
    { field: 'city', operator: 'contains' },
    /^has the operator contains, which needs value, and not values\.$/,
  ],
  [{ field: 'name', operator: 'equals', value: 'x', values: ['x'] }, /needs value, and not values/],
  [
    { field: 'city', operator: 'is_empty', value: 'x' },
    /^has the operator is_empty, which allows neither value nor values\.$/,
  ],
  [
    { field: 'course', operator: 'is_any_of', values: 'mba' },
    /the operator is_any_of, which needs values, a list of at least one item, and not value\.$/,
  ],
  [{ field: 'course', operator: 'is_any_of', values: [] }, /a list of at least one item/],
  [{ field: 'course', operator: 'is_any_of', value: 'mba', values: ['mba'] }, /and not value\.$/],
  [{ field: 'budget', operator: 'between', values: [1, 2, 3] }, /a list of two items/],
  [
    { field: 'budget', operator: 'between', values: [1] },
    /the operator between, which needs values, a list of two items, and not value\.$/,
  ],
  [
    { field: 'city', operator: 'contains', value: 7 },
    /^has a number as its value, but city holds text: send a string\.$/,
  ],
  [
    { field: 'city', operator: 'contains', value: null },
    /^has a value for city that is neither a string nor a number\.$/,
  ],
  [
    { field: 'name', operator: 'contains', value: '\ud800' },
    /^has a value for name that contains an invalid character/,
  ],
  [{ field: 'budget', operator: 'gt', value: 'many' }, /^has an invalid value: budget must be /],
  [
    { field: 'course', operator: 'is_any_of', values: ['x'] },
    /^has an invalid value: course must be one of its options: mba, design\.$/,
  ],
  [
    { field: 'interests', operator: 'has_any_of', values: ['loan,hostel'] },
    /^has an invalid value: interests must be one of its options:/,
  ],
  [
    { field: 'source', operator: 'is_any_of', values: [99] },
    /^has a value for source that is not a source ID; GET \/api\/v1\/lead-sources lists them\.$/,
  ],
  [
    { field: 'assigned_to', operator: 'is_any_of', values: [99] },
    /^has a value for assigned_to that is not a user ID; GET \/api\/v1\/users lists them\.$/,
  ],
])('the refusal corrects %j', (filter, sentence) => {
  expect(readFilters(organization, [filter]).issues).toEqual([
    { position: 0, sentence: expect.stringMatching(sentence) },
  ]);
});

test('an operator that is nested as deeply as a filter can be is refused', () => {
  const operator = JSON.parse('['.repeat(3900) + ']'.repeat(3900));

  expect(readFilters(organization, [{ field: 'name', operator }]).issues).toHaveLength(1);
});

describe('a filter reads its operands as the field reads values', () => {
  test.each([
    [{ field: 'course', operator: 'is_any_of', values: ['Product Design'] }, { course: 'design' }],
    [
      { field: 'interests', operator: 'has_any_of', values: ['Education loan, bank'] },
      { interests: ['loan'] },
    ],
    [
      { field: 'course', operator: 'is_any_of', values: ['\u200eProduct\u00a0Design'] },
      { course: 'design' },
    ],
    [
      { field: 'interests', operator: 'has_any_of', values: ['Study\u2009abroad'] },
      { interests: ['abroad'] },
    ],
    [{ field: 'source', operator: 'is_any_of', values: ['\u200e3 '] }, { source: 3 }],
    [{ field: 'city', operator: 'contains', value: 'STRASSE' }, { city: 'Hauptstraße' }],
    [{ field: 'city', operator: 'equals', value: 'PUNE' }, { city: 'Pune' }],
    [{ field: 'budget', operator: 'equals', value: '1,20,000' }, { budget: 120000 }],
    [{ field: 'source', operator: 'is_any_of', values: ['3'] }, { source: 3 }],
    [{ field: 'assigned_to', operator: 'is_any_of', values: [9] }, { assigned_to: 9 }],
    [{ field: 'phone', operator: 'equals', value: '098765 43210' }, { phone: '+919876543210' }],
    [{ field: 'phone', operator: 'contains', value: '(98765) 43' }, { phone: '+919876543210' }],
    [{ field: 'phone', operator: 'contains', value: '76543210' }, { phone: '+919876543210' }],
    [
      { field: 'email', operator: 'equals', value: 'ASHA@example.com' },
      { email: 'Asha@Example.com' },
    ],
    [
      { field: 'email', operator: 'equals', value: 'asha@example.com' },
      { email: '\u200bAsha@example.com' },
    ],
  ])('%j finds a lead', (filter, values) => {
    expect(matches(values, filter)).toBe(true);
  });
});

describe('the most values that a filter holds, over the most options that settings hold', () => {
  const optionsCount = 9000;
  const valuesCount = 1130;
  let looks = 0;
  const options = Array.from({ length: optionsCount }, (_, index) => ({
    value: `o${index}`,
    get label() {
      looks += 1;
      return `Option ${index}`;
    },
  }));
  const large = {
    ...organization,
    fields: organization.fields.map((one) => (one.options.length > 0 ? { ...one, options } : one)),
  };
  const values = Array.from({ length: valuesCount }, (_, index) => `o${optionsCount - 1 - index}`);

  test('read each option once, however many filters and requests follow', () => {
    const filters = ['course', 'interests'].map((field) => ({
      field,
      operator: field === 'course' ? 'is_any_of' : 'has_any_of',
      values,
    }));

    expect(readFilters(large, filters).issues).toEqual([]);
    const looksAtFirst = looks;
    expect(readFilters(large, filters).issues).toEqual([]);
    const issues = new FieldIssues();
    readFields(
      large,
      { course: 'Option 8999', interests: ['o1', 'Option 2'] },
      large.fields,
      issues,
    );

    expect(() => issues.throwIfAny()).not.toThrow();
    expect(looksAtFirst).toBeLessThanOrEqual(2 * optionsCount);
    expect(looks).toBe(looksAtFirst);
  });

  test('are rejected at the first value that is not an option', () => {
    const filter = {
      field: 'course',
      operator: 'is_any_of',
      values: values.map((value) => `no ${value}`),
    };

    const [issue] = readFilters(large, [filter]).issues;

    expect(issue?.sentence).toMatch(
      /must be one of its options: o0, o1, .*, o19, and 8980 more\.$/,
    );
    expect(looks).toBeLessThanOrEqual(2 * optionsCount);
  });
});

test.each([
  [20, ''],
  [30, ', and 10 more'],
])(
  'a refusal shows 500 characters of %d options, and counts those after the twentieth',
  (length, more) => {
    const values = Array.from({ length }, (_, at) => `${at}`.padEnd(200, 'x'));
    const options = values.map((value) => ({ value, label: value }));
    const fields = organization.fields.map((one) =>
      one.key === 'course' ? { ...one, options } : one,
    );
    const filter = { field: 'course', operator: 'is_any_of', values: ['none'] };

    const [issue] = readFilters({ ...organization, fields }, [filter]).issues;

    const shown = values.join(', ').slice(0, 500);
    expect(issue?.sentence).toMatch(new RegExp(`options: ${shown}…${more}\\.$`));
  },
);

test('a lead is found only if every filter matches', () => {
  const [city, budget] = ['city', 'budget'].map((field) => ({ field, operator: 'is_not_empty' }));
  const { filter } = readFilters(organization, [city, budget]);
  const found = [{ city: 'x' }, { budget: 5 }, { city: 'x', budget: 5 }].map(filter);
  expect(found).toEqual([false, false, true]);
});
