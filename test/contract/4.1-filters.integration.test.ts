import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { givenLead } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { allOperators, keyOf, operatorTable, types, values } from './operator-table.ts';

let organization: GivenOrganization;
beforeAll(async () => {
  organization = await givenOrganization();
  await givenLead(organization, {
    fields: {
      ...values.one,
      name: 'one',
      source: 1,
      assigned_to: 7,
      email: 'one@example.com',
      phone: '+919800000001',
    },
  });
  const consultant = {
    lead_type: 'consultant',
    source: 3,
    assigned_to: 8,
    email: 'Two@example.com',
    phone: '+919800000002',
  };
  await givenLead(organization, { fields: { ...values.two, ...consultant, name: 'two' } });
  await givenLead(organization, {
    fields: { name: 'none', email: null, phone: '+14155550003', assigned_to: 7 },
  });
});

const list = (...filters: readonly unknown[]) =>
  call('list-leads', { apiKey: organization.reader, query: { filter: JSON.stringify(filters) } });
const found = async (...filters: readonly object[]): Promise<string> => {
  const { status, body } = await list(...filters);
  expect([status, body.error]).toEqual([200, undefined]);
  return body.items
    .map(({ name }: { name: string }) => name)
    .reverse()
    .join(' ');
};
/** `details.filters` of the refusal. */
const refusedAt = async (...filters: readonly unknown[]): Promise<number[]> => {
  const { status, body } = await list(...filters);
  expect([status, body.error?.code]).toEqual([400, 'INVALID_QUERY']);
  expect(body.error.message).toMatch(/^filter\[\d+\] .*[.?]$/);
  return body.error.details.filters;
};

describe('4.1 filter: every operator of every field type', () => {
  test.each(types.flatMap((type) => operatorTable[type].map((row) => [type, ...row] as const)))(
    'a %s field takes %s with %j, which finds: %s',
    async (type, operator, operands, expected) => {
      expect(await found({ field: keyOf[type], operator, ...operands })).toBe(expected);
    },
  );
});

describe('4.1 filter: an operator that the field type does not take is refused', () => {
  const others = types.flatMap((type) =>
    allOperators
      .filter((operator) => !operatorTable[type].some(([taken]) => taken === operator))
      .map((operator) => [type, operator] as const),
  );

  test.each(others)('a %s field does not take %s', async (type, operator) => {
    for (const operands of [{}, { value: 'x' }, { values: ['x', 'y'] }]) {
      expect(await refusedAt({ field: keyOf[type], operator, ...operands })).toEqual([0]);
    }
  });

  test.each([
    '',
    'Contains',
    'constructor',
    '__proto__',
    'is empty',
    1,
    null,
    ['equals'],
    undefined,
  ])('no field takes the operator %j', async (operator) => {
    expect(await refusedAt({ field: 'city', operator, value: 'x' })).toEqual([0]);
  });
});

describe('4.1 filter: each operator takes value, values or nothing, and not what it does not', () => {
  const wrong: Record<'value' | 'two' | 'some' | 'nothing', object[]> = {
    value: [
      {},
      { values: ['x'] },
      { value: 'x', values: ['x'] },
      { value: null },
      { value: ['x'] },
      { value: true },
      { value: {} },
    ],
    two: [
      {},
      { value: 1 },
      { values: [] },
      { values: [1] },
      { values: [1, 2, 3] },
      { values: 1 },
      { values: { 0: 1, 1: 2 } },
    ],
    some: [
      {},
      { value: 'mba' },
      { values: [] },
      { values: 'mba' },
      { values: [null] },
      { values: [['mba']] },
      { values: [{}] },
    ],
    nothing: [{ value: 'x' }, { values: ['x'] }, { values: [] }, { value: null }],
  };
  const takes = {
    contains: 'value',
    equals: 'value',
    gt: 'value',
    lt: 'value',
    on: 'value',
    before: 'value',
    after: 'value',
  } as const;
  const shapeOf = (operator: string): keyof typeof wrong =>
    operator in takes
      ? 'value'
      : operator === 'between'
        ? 'two'
        : operator.endsWith('any_of')
          ? 'some'
          : 'nothing';
  const rows = types.flatMap((type) =>
    [...new Set(operatorTable[type].map(([operator]) => operator))].map(
      (operator) => [type, operator] as const,
    ),
  );

  test.each(rows)('a filter on a %s field with %s is refused', async (type, operator) => {
    const filters = wrong[shapeOf(operator)].map((operands) => ({
      field: keyOf[type],
      operator,
      ...operands,
    }));

    expect(await refusedAt(...filters)).toEqual(filters.map((_, position) => position));
  });
});

describe('4.1 filter: a bad value is refused', () => {
  test.each([
    ['text', 'contains', 1],
    ['text', 'equals', ''],
    ['text', 'contains', 'a\0b'],
    ['text', 'contains', '\ud800'],
    ['number', 'equals', 'ten'],
    ['number', 'gt', '1e126'],
    ['number', 'lt', '123456789012345678901234567890123456789'],
    ['date', 'on', '2026-02-30'],
    ['date', 'before', '2026-2-1'],
    ['date', 'after', 20260131],
  ] as const)('a filter on a %s field with %s %j is refused', async (type, operator, value) => {
    expect(await refusedAt({ field: keyOf[type], operator, value })).toEqual([0]);
  });

  test.each([
    ['number', 'between', [1, 'x']],
    ['date', 'between', ['2026-01-01', '2026-02-30']],
    ['select', 'is_any_of', ['mba', 'law']],
    ['multiselect', 'has_any_of', ['sports']],
    ['lead_source', 'is_any_of', [99]],
    ['lead_source', 'is_any_of', ['Website']],
    ['user', 'is_any_of', [0]],
    ['user', 'is_any_of', [1.5]],
    ['user', 'is_any_of', ['asha']],
  ] as const)('a %s field with %s %j', async (type, operator, listed) => {
    expect(await refusedAt({ field: keyOf[type], operator, values: listed })).toEqual([0]);
  });
});

describe('4.1 filter: details.filters lists the 0-based positions of the offending filters', () => {
  const good = { field: 'city', operator: 'is_not_empty' };

  test.each([
    ['an unknown field', { field: 'town', operator: 'is_empty' }],
    ['an inactive field', { field: 'old_notes', operator: 'is_empty' }],
    ['__proto__ as field', { field: '__proto__', operator: 'is_empty' }],
    ['constructor as field', { field: 'constructor', operator: 'is_empty' }],
    ['no field', { operator: 'is_empty' }],
    ['a field that is not a text', { field: 1, operator: 'is_empty' }],
    ['an unknown property', { field: 'city', operator: 'is_empty', not: true }],
    ['a text', 'city'],
    ['a number', 1],
    ['null', null],
    ['a list', [good]],
  ])('details.filters names the second of three filters: %s', async (_, bad) => {
    expect(await refusedAt(good, bad, good)).toEqual([1]);
  });

  test('details.filters names every wrong filter and no correct one', async () => {
    const bad = { field: 'town', operator: 'is_empty' };

    expect(await refusedAt(bad, good, bad, good, bad)).toEqual([0, 2, 4]);
  });

  test('a filter with a property named __proto__ is refused by its position', async () => {
    const filter = '[{"field":"city","operator":"is_empty","__proto__":{"x":1}}]';

    const { status, body } = await call('list-leads', {
      apiKey: organization.reader,
      query: { filter },
    });

    expect([status, body.error.details.filters]).toEqual([400, [0]]);
  });
});

describe('4.1 filter: all must match', () => {
  test.each([
    [
      [
        { field: 'budget', operator: 'gt', value: 5 },
        { field: 'course', operator: 'is_any_of', values: ['design'] },
      ],
      'two',
    ],
    [
      [
        { field: 'budget', operator: 'gt', value: 15 },
        { field: 'course', operator: 'is_any_of', values: ['mba'] },
      ],
      '',
    ],
    [
      [
        { field: 'city', operator: 'is_empty' },
        { field: 'wants_call', operator: 'is_false' },
      ],
      'none',
    ],
    [[], 'one two none'],
  ])('the filters %j find: %s', async (filters, expected) => {
    expect(await found(...filters)).toBe(expected);
  });
});

describe('4.1 filter: built-in fields by their keys', () => {
  test.each([
    [{ field: 'name', operator: 'equals', value: 'ONE' }, 'one'],
    [{ field: 'phone', operator: 'contains', value: '98000' }, 'one two'],
    [{ field: 'phone', operator: 'equals', value: '98000 00001' }, 'one'],
    [{ field: 'phone', operator: 'is_empty' }, ''],
    [{ field: 'email', operator: 'equals', value: 'two@EXAMPLE.com' }, 'two'],
    [{ field: 'email', operator: 'is_empty' }, 'none'],
    [{ field: 'source', operator: 'is_any_of', values: [1, 3] }, 'one two'],
    [{ field: 'source', operator: 'is_empty' }, 'none'],
    [{ field: 'assigned_to', operator: 'is_any_of', values: [7] }, 'one none'],
    [{ field: 'lead_type', operator: 'is_any_of', values: ['consultant'] }, 'two'],
  ])('%j finds: %s', async (filter, expected) => {
    expect(await found(filter)).toBe(expected);
  });
});
