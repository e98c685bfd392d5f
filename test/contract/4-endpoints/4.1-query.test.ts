import * as v from 'valibot';
import { expect, test } from 'vitest';
import { query } from '../../../functions/list-leads.ts';
import { refusalsOf } from '../../../shared/middleware/validate.ts';

test.each([
  ['updated_since', '2026-11-20T10:00:00', 'must be a date-time'],
  ['updated_since', ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00Z'], 'is given more than once.'],
  ['filter', '{}', 'must be a JSON array'],
  ['limit', '101', 'must be an integer from 1 to 100.'],
  ['cursor', '2147483648', 'must be an integer from 1 to 2147483647.'],
  ['stage_id', '1.5', 'must be an integer from 1 to 2147483647.'],
])('%s=%j is refused, and the message says what it must be', (name, value, sentence) => {
  const { issues } = v.safeParse(query, { [name]: value });

  expect(issues && refusalsOf(issues).get(name)?.sentence).toMatch(sentence);
});

const noId = ['0', '-1', '2147483648', '1.5', 'abc', '', ' 1', '01', '１', '9'.repeat(400)];
const ids = ['cursor', 'stage_id', 'pipeline_id', 'source_id', 'owner_id'];
const issuesOf = (given: object) => v.safeParse(query, given).issues;

test.each<readonly [string, string]>([
  ...['0', '101', '-1', '1.5', 'abc', '', ' 1', '025'].map((value) => ['limit', value] as const),
  ...ids.flatMap((name) => noId.map((value) => [name, value] as const)),
  ...['', '2026-01-31', '2026-02-30T00:00:00Z', '2026-01-31T09:30:00 05:30'].map(
    (value) => ['updated_since', value] as const,
  ),
  ...['', '{', '{}', 'null', '"name"', '[]]'].map((value) => ['filter', value] as const),
])('the parameter %s=%s is refused', (name, value) => {
  expect([...refusalsOf(issuesOf({ [name]: value })!).keys()]).toEqual([name]);
});

test.each<readonly [string, string]>([
  ...['1', '25', '100'].map((value) => ['limit', value] as const),
  ...ids.flatMap((name) => ['1', '2147483647'].map((value) => [name, value] as const)),
  ['updated_since', '2026-01-31T09:30:00.5+05:30'] as const,
  ['filter', '[]'] as const,
])('the parameter %s=%s is accepted', (name, value) => {
  expect(issuesOf({ [name]: value })).toBeUndefined();
});
