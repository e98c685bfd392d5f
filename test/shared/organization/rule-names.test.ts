import { expect, test } from 'vitest';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import { sampleField } from '../../support/settings.ts';
import { issuesOf, smallFile } from './settings-cases.ts';

const withRules = (...assignmentRules: object[]) => {
  const file = smallFile();
  const fields = [...file.fields, sampleField('interests'), sampleField('mentor')];
  return JSON.stringify({ ...file, fields, assignmentRules });
};
const rulesOf = (...rules: object[]) =>
  parseSettingsFile(withRules(...rules)).settings.assignmentRules;

test.each<[field: string, names: string[], values: string[]]>([
  ['source', ['Fair', 'referral ', '1'], ['3', '4', '1']],
  ['mentor', ['Asha Rao', '8'], ['7', '8']],
  ['assigned_to', ['ravi iyer'], ['8']],
  ['pipeline', ['Corporate', 'admissions'], ['2', '1']],
  ['course', ['Product Design', 'mba', 'mba'.toUpperCase()], ['design', 'mba', 'mba']],
  ['interests', ['Hostel', 'loan'], ['hostel', 'loan']],
  ['lead_type', ['Consultant'], ['consultant']],
  ['city', ['Fair', 'Pune'], ['Fair', 'Pune']],
])('a rule on %s takes names as an import does: %j', (field, names, values) => {
  expect(rulesOf({ when: { field, equals: names }, users: ['Ravi Iyer', 7, '10'] })).toEqual([
    { when: { field, equals: values }, users: [8, 7, 10] },
  ]);
});

test('a name that nothing has is refused, with what would be right', () => {
  const issues = issuesOf(
    withRules(
      { when: { field: 'source', equals: ['Fare', 'Fair'] }, users: ['Nobody', 'Asha Rao', 7] },
      { when: { field: 'course', equals: ['PhD'] }, users: [''] },
    ),
  );

  expect(issues).toEqual([
    {
      path: '$.assignmentRules[1].users[0]',
      message: 'must be the ID or name of a user, but is ""',
    },
    {
      path: '$.assignmentRules[0].when.equals[0]',
      message: 'is "Fare", but must be the ID of a source in $.sources, or its name',
    },
    {
      path: '$.assignmentRules[0].users[0]',
      message: 'is "Nobody", but must be the ID of a user in $.users, or its name',
    },
    {
      path: '$.assignmentRules[0].users[2]',
      message: 'is user 7 again: list each user only once',
    },
    {
      path: '$.assignmentRules[1].when.equals[0]',
      message: 'is "PhD", but must be the value of an option of course: mba, design, or its label',
    },
  ]);
});

test('a name that several active items have is refused, and one that a single active item has is not', () => {
  const file = smallFile();
  const users = (...active: boolean[]) =>
    active.map((one, index) => ({ id: index + 7, name: 'Asha Rao', active: one }));
  const parse = (...active: boolean[]) =>
    issuesOf(
      JSON.stringify({
        ...file,
        users: users(...active),
        assignmentRules: [{ users: ['asha rao'] }],
      }),
    );

  expect(parse(false, true, false)).toEqual([]);
  expect(parse(true, true, false)).toEqual([
    {
      path: '$.assignmentRules[0].users[0]',
      message: 'is "asha rao", which is the name of several: use an ID',
    },
  ]);
});

test.each([[null], ['crm'], [[null, 5, { users: 5, when: 7 }, { when: { field: 3, equals: 4 } }]]])(
  'rules that are malformed are reported, not read: %j',
  (assignmentRules) => {
    const issues = issuesOf(JSON.stringify({ ...smallFile(), assignmentRules }));

    expect(issues.length).toBeGreaterThan(0);
    for (const { path } of issues) expect(path).toMatch(/^\$\.assignmentRules/);
  },
);
