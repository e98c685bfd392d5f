import { expect, test } from 'vitest';
import type { Settings } from '../../../shared/organization/organization.ts';
import {
  type ReferencingLead,
  removalsBetween,
  withRemovalsInactive,
} from '../../../shared/organization/removals.ts';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import { customField, sampleSettings } from '../../support/settings.ts';

const before = parseSettingsFile(
  JSON.stringify({
    ...sampleSettings,
    fields: [
      ...sampleSettings.fields,
      customField('visa', 'text', { showWhen: { field: 'course', equals: ['mba'] } }),
    ],
  }),
).settings;
type Edit = (draft: Settings) => void;
const edited = (edit: Edit): Settings => {
  const draft = structuredClone(before);
  edit(draft);
  return draft;
};
const without =
  (list: 'users' | 'sources' | 'pipelines', id: number): Edit =>
  (draft) =>
    Object.assign(draft, { [list]: draft[list].filter((one) => one.id !== id) });
const withoutField =
  (key: string): Edit =>
  (draft) =>
    Object.assign(draft, { fields: draft.fields.filter((field) => field.key !== key) });
const changed =
  (key: string, changes: object): Edit =>
  ({ fields }) =>
    Object.assign(fields.find((field) => field.key === key) ?? {}, changes);
const withoutOption =
  (key: string, value: string): Edit =>
  ({ fields }) => {
    const field = fields.find((one) => one.key === key);
    if (field) Object.assign(field, { options: field.options.filter((o) => o.value !== value) });
  };
const moveStage: Edit = ({ pipelines: [from, to] }) => {
  to!.stages.push(...from!.stages.splice(1, 1));
};

const lead = (fields: object, stageId = 11, pipelineId = 1): ReferencingLead => ({
  fields: { ...fields },
  stageId,
  pipelineId,
});
const deactivate = 'deactivate it instead ("active": false)';
const isNot = { wasActive: false };

test.each<
  [what: string, edit: Edit, removal: object, of: ReferencingLead[], notOf: ReferencingLead[]]
>([
  [
    'a user',
    without('users', 8),
    { path: '$.users[id=8]', name: 'Ravi Iyer', instead: deactivate, userId: 8 },
    [lead({ assigned_to: 8 }), lead({ mentor: 8 })],
    [lead({ assigned_to: 7, source: 8 })],
  ],
  ['a user who left', without('users', 9), { path: '$.users[id=9]', ...isNot }, [], []],
  [
    'a source',
    without('sources', 3),
    { path: '$.sources[id=3]', name: 'Facebook Ads', instead: deactivate },
    [lead({ source: 3 }), lead({ second_source: 3 })],
    [lead({ source: 1, assigned_to: 3 })],
  ],
  [
    'a source that a new field may name',
    (draft) => {
      without('sources', 3)(draft);
      const [like] = draft.fields.filter(({ key }) => key === 'second_source');
      draft.fields.push({ ...like!, key: 'third_source' });
    },
    { path: '$.sources[id=3]' },
    [lead({ third_source: 3 })],
    [lead({ fourth_source: 3 })],
  ],
  [
    'a pipeline',
    without('pipelines', 2),
    {
      path: '$.pipelines[id=2]',
      name: 'Corporate',
      instead: 'keep it and deactivate its stages instead',
    },
    [lead({}, 21, 2)],
    [lead({}, 21, 1)],
  ],
  [
    'a stage',
    ({ pipelines }) => void pipelines[0]!.stages.pop(),
    { path: '$.pipelines[id=1].stages[id=12]', name: 'Enrolled', instead: deactivate },
    [lead({}, 12)],
    [lead({}, 11)],
  ],
  [
    'a stage that moves',
    moveStage,
    {
      path: '$.pipelines[id=1].stages[id=12]',
      instead: 'leave it in pipeline 1 and give pipeline 2 a new stage instead',
    },
    [lead({}, 12)],
    [lead({}, 21)],
  ],
  [
    'a field',
    withoutField('city'),
    { path: '$.fields[key="city"]', name: 'city', instead: deactivate },
    [lead({ city: 'Pune' })],
    [lead({ remarks: 'Pune' })],
  ],
  [
    'a field with the name of an inherited property',
    withoutField('hasOwnProperty'),
    { path: '$.fields[key="hasOwnProperty"]' },
    [lead({ hasOwnProperty: 'x' })],
    [lead({})],
  ],
  [
    'a field that is inactive',
    withoutField('old_notes'),
    { path: '$.fields[key="old_notes"]', ...isNot },
    [],
    [],
  ],
  [
    'the type of a field',
    changed('city', { type: 'number' }),
    {
      path: '$.fields[key="city"].type',
      instead: 'leave its type text and add a field with another key instead',
    },
    [lead({ city: 'Pune' })],
    [lead({})],
  ],
  [
    'an option',
    withoutOption('course', 'mba'),
    {
      path: '$.fields[key="course"].options[value="mba"]',
      name: 'MBA',
      instead: 'keep it, or change those leads first',
    },
    [lead({ course: 'mba' })],
    [lead({ course: 'design' })],
  ],
  [
    'an option of a list',
    withoutOption('interests', 'loan'),
    { path: '$.fields[key="interests"].options[value="loan"]' },
    [lead({ interests: ['hostel', 'loan'] })],
    [lead({ interests: ['hostel'] })],
  ],
])('%s that is removed is referenced by the leads that have it', (_, edit, removal, of, notOf) => {
  const [first] = removalsBetween(before, edited(edit));

  expect(first).toMatchObject({ wasActive: true, ...removal });
  expect('userId' in first!).toBe(first!.path.startsWith('$.users'));
  for (const one of of) expect(first!.isReferencedBy(one), JSON.stringify(one)).toBe(true);
  for (const one of notOf) expect(first!.isReferencedBy(one), JSON.stringify(one)).toBe(false);
});

test('a pipeline is removed with its stages, and what stays is no removal', () => {
  const paths = (edit: Edit) => removalsBetween(before, edited(edit)).map(({ path }) => path);

  expect(paths(without('pipelines', 2))).toEqual([
    '$.pipelines[id=2]',
    '$.pipelines[id=2].stages[id=21]',
  ]);
  expect(paths(changed('city', { label: 'Town', active: false }))).toEqual([]);
});

test('a retired option, and an option of an inactive field, were not active', () => {
  const [retired, idle] = [
    edited(({ fields }) => {
      for (const { options } of fields) Object.assign(options[0] ?? {}, { retired: true });
    }),
    edited(changed('course', { active: false })),
  ];

  const wasActive = (from: Settings) =>
    removalsBetween(from, edited(withoutOption('course', 'mba'))).map((one) => one.wasActive);
  expect([wasActive(before), wasActive(retired), wasActive(idle)]).toEqual([
    [true],
    [false],
    [false],
  ]);
});

const inactive = { active: false };
test.each<[what: string, edit: Edit, expected: object]>([
  ['a user', without('users', 8), { users: [{ id: 7 }, { id: 9 }, { id: 8, ...inactive }] }],
  ['a source', without('sources', 3), { sources: [{ id: 1 }, { id: 4 }, { id: 3, ...inactive }] }],
  [
    'a pipeline',
    (draft) => {
      without('pipelines', 1)(draft);
      draft.pipelines[0]!.isDefault = true;
    },
    {
      pipelines: [
        { id: 2, isDefault: true, stages: [{ id: 21, active: true, isDefault: true }] },
        {
          ...{ id: 1, isDefault: false },
          stages: [11, 12].map((id) => ({ id, isDefault: false, ...inactive })),
        },
      ],
    },
  ],
  [
    'a stage that moves, in its old pipeline',
    moveStage,
    {
      pipelines: [
        {
          id: 1,
          stages: [
            { id: 11, active: true },
            { id: 12, ...inactive },
          ],
        },
        { id: 2, stages: [{ id: 21, active: true }] },
      ],
    },
  ],
])('while leads may have it, the settings keep %s, inactive', (_, edit, expected) => {
  expect(withRemovalsInactive(before, edited(edit))).toMatchObject(expected);
});

test.each<[what: string, edit: Edit, key: string, expected: object]>([
  ['a field, without its condition', withoutField('visa'), 'visa', { ...inactive, showWhen: null }],
  [
    'the type of a field',
    changed('city', { type: 'number' }),
    'city',
    { type: 'text', ...inactive },
  ],
  [
    'an option, retired',
    withoutOption('course', 'mba'),
    'course',
    { active: true, options: [{ value: 'design' }, { value: 'mba', retired: true }] },
  ],
  [
    'a new field as it is',
    ({ fields }) => void fields.push({ ...fields.at(-1)!, key: 'new' }),
    'new',
    { active: true, showWhen: { field: 'course' } },
  ],
])('while leads may have it, the settings keep %s', (_, edit, fieldKey, expected) => {
  const { fields } = withRemovalsInactive(before, edited(edit));

  expect(fields.filter(({ key }) => key === fieldKey)).toMatchObject([expected]);
});
