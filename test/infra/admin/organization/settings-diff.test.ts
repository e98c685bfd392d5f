import { expect, test } from 'vitest';
import {
  changeLines,
  settingsChanges,
} from '../../../../infra/admin/organization/settings-diff.ts';

const lines = (before: object, after: object): string[] =>
  changeLines(before, after).join('\n').split('\n');

test('changes come in the order of the file, whatever the order of the stored properties', () => {
  const before = { sources: [], users: [{ active: true, name: 'Asha', id: 7 }], name: 'A' };
  const after = { name: 'B', users: [{ id: 7, name: 'Rao', active: false }], sources: [] };

  expect(lines(before, after)).toEqual([
    '  $.name changed: from "A" to "B"',
    '  $.users[id=7].name changed: from "Asha" to "Rao"',
    '  $.users[id=7] deactivated',
  ]);
});

test('a change of the assignment rules has a line for each rule and part that differs', () => {
  const rule = (equals: string[], users: number[]) => ({
    users,
    when: { equals, field: 'source' },
  });
  const before = { assignmentRules: [rule(['3'], [7]), rule(['4'], [8])] };
  const after = { assignmentRules: [rule(['3', '5'], [7]), rule(['4'], [8]), { users: [9] }] };

  expect(settingsChanges(before, after)).toMatchObject([
    { path: '$.assignmentRules', change: 'changed' },
  ]);
  expect(lines(before, after)).toEqual([
    '  $.assignmentRules[0].when.equals changed: from ["3"] to ["3","5"]',
    '  $.assignmentRules[2] added: {"users":[9]}',
  ]);
  expect(lines(after, before)).toContain('  $.assignmentRules[2] removed: {"users":[9]}');
  expect(lines({ assignmentRules: [] }, before)).toEqual([
    '  $.assignmentRules[0] added: {"when":{"field":"source","equals":["3"]},"users":[7]}',
    '  $.assignmentRules[1] added: {"when":{"field":"source","equals":["4"]},"users":[8]}',
  ]);
});

test('items of a list are named by ID, key or value, and a new order is reported', () => {
  const before = { fields: [{ key: 'a', options: [{ value: 'x', label: 'X' }] }, { key: 'b' }] };
  const after = { fields: [{ key: 'b' }, { key: 'a', options: [{ value: 'x', label: 'Y' }] }] };

  expect(lines(before, after)).toEqual([
    '  $.fields[key="a"].options[value="x"].label changed: from "X" to "Y"',
    '  $.fields reordered: [key="b"], [key="a"]',
  ]);
});
