import { beforeAll, describe, expect, test } from 'vitest';
import { type CallOptions, call } from '../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';

type Query = NonNullable<CallOptions['query']>;
const list = (organization: GivenOrganization, query: Query) =>
  call('list-leads', { apiKey: organization.reader, query });

let organization: GivenOrganization;
beforeAll(async () => {
  organization = await givenOrganization();
});

const noId = [
  '0',
  '-1',
  '2147483648',
  '1.5',
  '1e1',
  'abc',
  '',
  ' 1',
  '01',
  '0x1',
  '１',
  '9'.repeat(400),
];

describe('4.1 INVALID_QUERY: a parameter out of range, named; nothing is silently ignored', () => {
  const refused = async (query: Query, name: string) => {
    const { status, body } = await list(organization, query);

    expect([status, body.error.code]).toEqual([400, 'INVALID_QUERY']);
    expect(body.error.details.parameters).toEqual({ [name]: expect.stringMatching(/\S.*\.$|\?$/) });
    expect(body.error.message).toContain(name);
  };

  test.each([
    ...['0', '101', '-1', '1.5', 'abc', '', ' 1', '025'].map((value) => ['limit', value] as const),
    ...['cursor', 'stage_id', 'pipeline_id', 'source_id', 'owner_id'].flatMap((name) =>
      noId.map((value) => [name, value] as const),
    ),
    ...[
      '',
      'yesterday',
      '2026-01-31',
      '2026-01-31T09:30:00',
      '2026-02-30T00:00:00Z',
      '2026-02-29T00:00:00Z',
      '2026-13-01T00:00:00Z',
      '2026-01-31T24:00:00Z',
      '2026-01-31T09:60:00Z',
      '2026-01-31T09:30:00 05:30',
      '2026-01-31T09:30:00+25:00',
      '1767225600',
    ].map((value) => ['updated_since', value] as const),
    ...['', 'x', '{', '{}', 'null', '1', '"name"', 'true', '{"field":"name"}', '[', '[]]'].map(
      (value) => ['filter', value] as const,
    ),
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
    ['Limit', 'limit'],
    ['limits', 'limit'],
    ['filters', 'filter'],
    ['updatedSince', 'updated_since'],
    ['page', undefined],
    ['constructor', undefined],
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
