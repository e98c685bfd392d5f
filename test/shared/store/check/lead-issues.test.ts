import { expect, test } from 'vitest';
import type { FieldValue } from '../../../../shared/leads/lead.ts';
import type { Organization } from '../../../../shared/organization/organization.ts';
import { leadIn, leadIssues } from '../../../../shared/store/check/lead-issues.ts';
import { sampleOrganization } from '../../../support/settings.ts';

const organization = sampleOrganization();
const at = '2026-01-01T00:00:00.000Z';
const person = { name: 'Asha', phone: '+919820012345', lead_type: 'student' };
const item = (fields: unknown) => ({
  version: 1,
  fields,
  stageId: 11,
  pipelineId: 1,
  createdAt: at,
  updatedAt: at,
  stageKey: 'STAGE#1#11',
  updateKey: 'UPDATED#1',
});
const faultsOf = (
  stored: Readonly<Record<string, unknown>>,
  of: Organization | undefined = organization,
) => [...leadIssues(leadIn(1, 5, stored), stored, of, 5)];

test.each<[string, ...FieldValue[]]>([
  ['city', 'Pune', ' with blanks '],
  ['remarks', 'two\nlines'],
  ['budget', 0, -1.5, 9_007_199_254_740_991],
  ['start_on', '2024-02-29'],
  ['guardian_phone', '+14155550100', '+9100'],
  ['work_email', 'A.B@example.com'],
  ['portfolio', 'https://example.com/a?b=c'],
  ['course', 'mba'],
  ['interests', ['hostel'], ['hostel', 'loan'], ['loan', 'hostel']],
  ['wants_call', true, false],
  ['second_source', 1, 4],
  ['mentor', 7, 9],
  ['hasOwnProperty', 'x'],
  ['old_notes', 'of a field that is no longer active'],
])('a lead may have in the field %s what the service stores', (fieldKey, ...values) => {
  expect(values.map((value) => faultsOf(item({ ...person, [fieldKey]: value })))).toEqual(
    values.map(() => []),
  );
});

test.each<[string, string, ...unknown[]]>([
  ['city', 'is not a field value', null, {}, [5]],
  ['course', 'the organization does not have', 'law', 'MBA', 1],
  ['interests', 'the organization does not have', 'x', ['hostel', 'x']],
  ['second_source', 'the organization does not have', 2, '1'],
  ['mentor', 'the organization does not have', 70, '7'],
])(
  'in the field %s, a wrong or unknown value is an issue: %s',
  (fieldKey, requirement, ...values) => {
    for (const value of values) {
      const issues = faultsOf(item({ ...person, [fieldKey]: value }));

      expect(issues).toEqual([
        `Lead 5 of organization 1 has ${JSON.stringify(value)} in the field ${fieldKey}, which ${requirement}.`,
      ]);
    }
  },
);

test('an option that is being removed is still valid, because leads keep it', () => {
  const fields = organization.fields.map((field) =>
    field.key === 'course'
      ? { ...field, options: [{ value: 'mba', label: 'MBA', retired: true as const }] }
      : field,
  );
  const dropping = {
    ...organization,
    fieldByKey: new Map(fields.map((field) => [field.key, field])),
  };
  const stored = item({ ...person, course: 'mba' });

  expect(faultsOf(stored, dropping)).toEqual([]);
});

const future = '2999-01-01T00:00:00.000Z';
const index = 'has an index attribute that disagrees with it:';
const damages: readonly (readonly [damage: object, issue: string])[] = [
  [{ pipelineId: 2 }, 'is in pipeline 2, but its stage 11 belongs to pipeline 1'],
  [{ ttl: 1 }, 'has a ttl, at which DynamoDB deletes it: remove the attribute ttl'],
  [
    { fields: { ...person, shoe: 'x' } },
    'has a value in the field "shoe", which the organization does not have',
  ],
  [{ version: 0 }, 'has version 0, which must be a positive integer'],
  [{ updatedAt: 'today' }, 'has the updatedAt "today", which is not a date-time'],
  [
    { updatedAt: '2020-01-01T00:00:00.000Z' },
    `was updated at 2020-01-01T00:00:00.000Z, before it was created at ${at}`,
  ],
  [
    { updatedAt: future },
    `has the updatedAt ${future}, which is in the future: compare the clock of this machine with that of the writer`,
  ],
  [
    { fields: { ...person, assigned_to: 7 } },
    `${index} ownerKey is missing and must be "OWNER#1#7"`,
  ],
  [{ sourceKey: 'SOURCE#1#1' }, `${index} sourceKey is "SOURCE#1#1" and must be absent`],
  [
    { archivedAt: at, stageKey: undefined },
    `${index} updateKey is "UPDATED#1" and must be absent, as the lead is archived`,
  ],
];
test.each(damages.map(([damage, issue]) => ({ damage, issue })))(
  'an issue of a lead: it $issue',
  ({ damage, issue }) => {
    expect(faultsOf({ ...item(person), ...damage })).toEqual([
      `Lead 5 of organization 1 ${issue}.`,
    ]);
  },
);

test.each([undefined, null, 'x', []])('fields that are %j are an issue, not a crash', (fields) => {
  expect(faultsOf(item(fields))[0]).toBe('Lead 5 of organization 1 has no fields.');
});

test('a lead with only a key has an issue for everything that it lacks', () => {
  expect(faultsOf({})).toEqual(
    [
      'has version missing, which must be a positive integer',
      'has no fields',
      'has the createdAt missing, which is not a date-time',
      'has the updatedAt missing, which is not a date-time',
      'is in stage missing, which the organization does not have',
      'is in pipeline missing, which the organization does not have',
      'has no name',
      'has no phone',
      'has no lead_type',
      'has an index attribute that disagrees with it: stageKey is missing and must be "STAGE#1#undefined"',
      'has an index attribute that disagrees with it: updateKey is missing and must be "UPDATED#1"',
    ].map((issue) => `Lead 5 of organization 1 ${issue}.`),
  );
});

test('without settings, references to them are not checked', () => {
  const stored = item({ ...person, mentor: 70 });

  expect([...leadIssues(leadIn(1, 5, stored), stored, undefined, undefined)]).toEqual([]);
});

test('a value of a field whose type this version does not know is not checked', () => {
  const later = sampleOrganization();
  Object.assign(later.fieldByKey.get('city') ?? {}, { type: 'rating' });

  expect(faultsOf(item({ ...person, city: 'Pune' }), later)).toEqual([]);
});
