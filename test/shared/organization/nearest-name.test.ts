import { expect, test } from 'vitest';
import { nearestName } from '../../../shared/organization/nearest-name.ts';

const names = ['name', 'phone', 'stage_id', 'source_id', 'owner_id', 'organization'];

test.each([
  ['a letter too many', 'namee', 'name'],
  ['neighbours swapped', 'nmae', 'name'],
  ['another spelling', 'organisation', 'organization'],
  ['another case', 'PHONE', 'phone'],
  ['a letter missing', 'ownr_id', 'owner_id'],
  ['a letter replaced', 'ovner_id', 'owner_id'],
  ['two pairs swapped', 'onwre_id', 'owner_id'],
  ['a letter moved', 'owneri_d', 'owner_id'],
  ['two edits in a long name', 'owneridx', 'owner_id'],
])('%s still means the name', (_, typed, meant) => {
  expect(nearestName(typed, names)).toBe(meant);
});

test.each([
  ['far from all', 'budget', names],
  ['as near, but begins with another letter,', 'course_id', names],
  ['longer than any name', 'n'.repeat(65), ['n'.repeat(64)]],
  ['two edits from a short name', 'nmex', names],
  ['three edits from a long one', 'ownexyz', names],
])('what is %s means none of them', (_, typed, known) => {
  expect(nearestName(typed, known)).toBeUndefined();
});

test('of several names, the one with the fewest edits is meant', () => {
  expect(nearestName('emial', ['emails', 'email', 'emaila'])).toBe('email');
  expect(nearestName('n'.repeat(64), ['n'.repeat(66), 'n'.repeat(65)])).toBe('n'.repeat(65));
});
