import { expect, test } from 'vitest';
import { nearestName } from '../../../shared/organization/nearest-name.ts';

const names = ['name', 'phone', 'stage_id', 'source_id', 'owner_id', 'organization'];

test.each([
  ['a letter too many', 'namee', 'name'],
  ['neighbours swapped', 'nmae', 'name'],
  ['another spelling', 'organisation', 'organization'],
  ['another case', 'PHONE', 'phone'],
])('%s still means the name', (_, typed, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});

test.each([
  ['far from all', 'budget', names],
  ['as near, but begins with another letter,', 'course_id', names],
  ['longer than any name', 'n'.repeat(65), names],
])('what is %s means none of them', (_, typed, known) => {
  expect(nearestName(typed, known)).toBeUndefined();
});
