import { describe, expect, test } from 'vitest';
import type { CallOptions } from '../../support/call.ts';
import { type GivenOrganization, useOrganization } from '../../support/organizations.ts';

type Query = NonNullable<CallOptions['query']>;
const list = (organization: GivenOrganization, query: Query) => organization.list(query);

const organization = useOrganization();

describe('4.1 INVALID_QUERY: a parameter out of range, named; nothing is silently ignored', () => {
  const refused = async (query: Query, name: string) => {
    const { status, body } = await list(organization, query);

    expect([status, body.error.code]).toEqual([400, 'INVALID_QUERY']);
    expect(body.error.details.parameters).toEqual({ [name]: expect.stringMatching(/\S.*\.$|\?$/) });
    expect(body.error.message).toContain(name);
  };

  test.each([
    ['limit', '101'],
    ['cursor', '0'],
    ['stage_id', '2147483648'],
    ['pipeline_id', 'abc'],
    ['source_id', '1.5'],
    ['owner_id', '-1'],
    ['updated_since', '2026-01-31T09:30:00'],
    ['filter', '{'],
  ])('the parameter %s=%s is refused with INVALID_QUERY', (name, value) =>
    refused({ [name]: value }, name),
  );

  test.each(['limit', 'cursor', 'updated_since', 'stage_id', 'filter'])(
    'the parameter %s is refused when it is given twice',
    (name) => refused(`${name}=1&${name}=1`, name),
  );

  test.each([
    ['stageId', 'stage_id'],
    ['stage', undefined],
    ['updatedSince', 'updated_since'],
    ['__proto__', undefined],
  ])(
    'the unknown parameter %s is refused with the nearest known one (%s)',
    async (name, nearest) => {
      const { status, body } = await list(organization, `${name}=1`);

      expect([status, body.error.code]).toEqual([400, 'INVALID_QUERY']);
      expect(Object.keys(body.error.details.parameters)).toEqual([name]);
      expect(body.error.message).toMatch(nearest ? `did you mean ${nearest}?` : /known/);
    },
  );

  test('several wrong parameters are all named', async () => {
    const { body } = await list(organization, { limit: 0, cursor: 0, source_id: 'x' });

    expect(Object.keys(body.error.details.parameters).sort()).toEqual([
      'cursor',
      'limit',
      'source_id',
    ]);
  });
});

describe('4.1 INVALID_QUERY: details.filters lists the 0-based positions of the offending filters', () => {
  const good = { field: 'city', operator: 'is_not_empty' };

  test.each([
    ['an unknown field', { field: 'town', operator: 'is_empty' }],
    ['an operator of another type', { field: 'city', operator: 'gt', value: 1 }],
    ['a bad value', { field: 'course', operator: 'is_any_of', values: ['law'] }],
  ])('details.filters names each wrong filter and no correct one: %s', async (_, bad) => {
    const filter = JSON.stringify([bad, good, bad]);

    const { status, body } = await list(organization, { filter });

    expect([status, body.error.code, body.error.details.filters]).toEqual([
      400,
      'INVALID_QUERY',
      [0, 2],
    ]);
    expect(body.error.message).toMatch(/^filter\[0\] .*[.?]$/);
  });

  test('a filter with a property named __proto__ is refused by its position', async () => {
    const filter = '[{"field":"city","operator":"is_empty","__proto__":{"x":1}}]';

    const { status, body } = await list(organization, { filter });

    expect([status, body.error.details.filters]).toEqual([400, [0]]);
  });
});
