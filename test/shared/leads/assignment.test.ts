import { describe, expect, test } from 'vitest';
import { chooseRotation, ownerAt } from '../../../shared/leads/assignment.ts';
import type { FieldValues } from '../../../shared/leads/lead.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { sampleOrganization, sampleSettings } from '../../support/settings.ts';

const withRules = (...assignmentRules: object[]) => sampleOrganization({ assignmentRules });
const peopleFor = (of: Organization, fields: FieldValues = {}, pipelineId = 1) =>
  chooseRotation(of, fields, pipelineId)?.userIds;
const when = (field: string, ...equals: string[]) => ({ field, equals });

describe('choosing who may own a new lead', () => {
  const rules = [
    { when: when('source', '3'), users: [7] },
    { when: when('pipeline', '2'), users: [8] },
    { when: when('course', 'mba', 'design'), users: [8, 7] },
    { when: when('interests', 'loan'), users: [7, 8] },
    { when: when('wants_call', 'true'), users: [8] },
  ];

  test.each<[string, FieldValues, number, number[]]>([
    ['a source', { source: 3 }, 1, [7]],
    ['a pipeline', { source: 1 }, 2, [8]],
    ['the first of two rules that hold', { source: 3, course: 'mba' }, 2, [7]],
    ['an option', { course: 'design' }, 1, [8, 7]],
    ['one item of a list', { interests: ['hostel', 'loan'] }, 1, [7, 8]],
    ['a tick', { wants_call: true }, 1, [8]],
    ['nothing that a rule names', { wants_call: false }, 1, [7, 8]],
  ])('goes by %s', (_, fields, pipelineId, people) =>
    expect(peopleFor(withRules(...rules), fields, pipelineId)).toEqual(people),
  );

  test('a rule without a condition always holds', () =>
    expect(peopleFor(withRules({ users: [8] }, { users: [7] }))).toEqual([8]));

  test('skips rules without active users, and inactive users', () => {
    expect(peopleFor(withRules({ users: [9] }, { users: [] }, { users: [9, 8] }))).toEqual([8]);
  });
});

test('nobody may own it without an active user', () =>
  expect(
    peopleFor(
      sampleOrganization({
        users: sampleSettings.users.map((user) => ({ ...user, active: false })),
      }),
    ),
  ).toBeUndefined());

/** Each is stored as the name of a counter: another name starts the rotation again. */
test.each<[string, object[], string]>([
  ['no rule', [], 'everyone'],
  ['a rule without a condition', [{ users: [7, 8] }], '[null,[7,8]]'],
  ['another order', [{ users: [8, 7] }], '[null,[8,7]]'],
  ['an inactive user', [{ users: [9, 7] }], '[null,[9,7]]'],
  [
    'a condition, its properties in another order',
    [{ users: [7], when: { equals: ['3', '1'], field: 'source' } }],
    '[{"field":"source","equals":["3","1"]},[7]]',
  ],
])('the rotation of %s has its name for as long as the rule is the same', (_, rules, name) =>
  expect(chooseRotation(withRules(...rules), { source: 3 }, 1)?.rule).toBe(name),
);

test('the users of a rotation take turns, from the first position', () => {
  const owners = [1, 2, 3, 4].map((position) =>
    ownerAt({ rule: '', userIds: [7, 8, 9] }, position),
  );
  expect(owners).toEqual([7, 8, 9, 7]);
  expect(() => ownerAt({ rule: '', userIds: [] }, 1)).toThrow('must have at least one user');
});
