import { expect, test } from 'vitest';
import { completedFile, incompleteId } from '../../../shared/organization/names-alone.ts';
import type { Settings } from '../../../shared/organization/organization.ts';
import { parseSettingsFile } from '../../../shared/organization/settings.ts';
import { sampleSettings } from '../../support/settings.ts';

const first = {
  id: 20,
  name: 'Academy',
  modules: ['crm'],
  users: ['Asha Rao', 'Ravi Iyer'],
  stages: ['New', 'Première visite', { name: 'Enrolled', meaning: 'won' }],
  sources: ['Website'],
  fields: [],
};
const complete = (file: object, inForce?: Settings) =>
  JSON.parse(completedFile(JSON.stringify(file), inForce));
const settingsOf = (file: object) => parseSettingsFile(JSON.stringify(file)).settings;
const stage = (id: number, name: string, slug: string, order: number, more: object = {}) => ({
  id,
  name,
  slug,
  order,
  meaning: 'open',
  ...more,
});

test('names alone become items with IDs, and stages one default pipeline that starts at its first', () => {
  const file = complete(first);

  expect(Object.keys(file)).toEqual(
    Object.keys(first).map((key) => (key === 'stages' ? 'pipelines' : key)),
  );
  expect(file).toEqual({
    ...first,
    stages: undefined,
    users: [
      { id: 1, name: 'Asha Rao' },
      { id: 2, name: 'Ravi Iyer' },
    ],
    pipelines: [
      {
        id: 1,
        name: 'Leads',
        order: 1,
        isDefault: true,
        stages: [
          stage(1, 'New', 'new', 1, { isDefault: true }),
          stage(2, 'Première visite', 'premiere-visite', 2, { isDefault: false }),
          stage(3, 'Enrolled', 'enrolled', 3, { isDefault: false, meaning: 'won' }),
        ],
      },
    ],
    sources: [{ id: 1, name: 'Website' }],
  });
  expect(complete(file)).toEqual(file);
  expect(incompleteId(JSON.stringify(first))).toBe(20);
  expect(settingsOf(file).users).toHaveLength(2);
});

test('a stage that says it is the start stays the only one', () => {
  const { pipelines } = complete({ ...first, stages: ['A', { name: 'B', isDefault: true }] });

  expect(pipelines[0].stages.map((one: { isDefault?: boolean }) => one.isDefault)).toEqual([
    undefined,
    true,
  ]);
});

test('in an existing organization a name means its item, in any state, and another name is new', () => {
  const inForce = settingsOf(complete(first));
  const kept = inForce.pipelines[0]!.stages.map((one) => ({ ...one, order: one.order * 10 }));
  inForce.users[1]!.active = false;
  inForce.pipelines[0]!.stages = kept;

  const file = complete(
    {
      ...first,
      users: ['Meera', 'ravi iyer', { id: 9, name: 'Asha Rao' }, 'Asha Rao'],
      stages: ['New', 'Demo', 'Enrolled', 'Première visite'],
    },
    inForce,
  );

  expect(file.users).toEqual([
    { id: 10, name: 'Meera' },
    { id: 2, name: 'Ravi Iyer', active: false },
    { id: 9, name: 'Asha Rao' },
    { id: 1, name: 'Asha Rao', active: true },
  ]);
  expect(
    file.pipelines[0].stages.map((one: Record<string, unknown>) =>
      [one.id, one.slug, one.order, one.meaning].join(' '),
    ),
  ).toEqual(['1 new 10 open', '4 demo 11 open', '3 enrolled 30 won', '2 premiere-visite 31 open']);
});

test('a name that occurs twice means the item of that name once, and then a new item', () => {
  const inForce = settingsOf(complete(first));

  const { users } = complete({ ...first, users: ['Ravi Iyer', 'Ravi Iyer'] }, inForce);

  expect(users.map(({ id }: { id: number }) => id)).toEqual([2, 3]);
});

test('an ID in force is never given to a new name, and a name of two items is refused with both', () => {
  const inForce = settingsOf({
    ...sampleSettings,
    users: [7, 8].map((id) => ({ id, name: 'Asha' })),
    assignmentRules: [],
    keys: [],
  });

  const { users } = complete({ ...first, users: ['New'] }, inForce);

  expect(users).toEqual([{ id: 9, name: 'New' }]);
  expect(() => complete({ ...first, users: ['asha'] }, inForce)).toThrow(
    expect.objectContaining({
      issues: [{ path: '$.users[0]', message: expect.stringContaining('the IDs 7, 8') }],
    }),
  );
});

test('of two items with one name, the only active one is meant', () => {
  const users = [
    { id: 7, name: 'Asha', active: false },
    { id: 8, name: 'Asha' },
    { id: 9, name: 'Ravi', active: false },
  ];
  const inForce = settingsOf({ ...sampleSettings, users, assignmentRules: [], keys: [] });

  const file = complete({ ...first, users: ['Asha', 'Ravi'] }, inForce);

  expect(file.users.map(({ id }: { id: number }) => id)).toEqual([8, 9]);
});

test('a stage with an ID keeps the slug and meaning that the file leaves out; written orders stay', () => {
  const inForce = settingsOf(complete(first));
  const stagesOf = (stages: readonly object[]) =>
    complete({ ...first, stages }, inForce).pipelines[0].stages;

  expect(stagesOf([{ id: 3, name: 'Signed' }])).toMatchObject([
    stage(3, 'Signed', 'enrolled', 1, { meaning: 'won' }),
  ]);
  const orders = [5, 2].map((order) => ({ name: `Step ${order}`, order }));
  expect(stagesOf(orders).map(({ order }: { order: number }) => order)).toEqual([5, 2]);
});

test('stages of several pipelines have IDs of their own, and slugs differ within a pipeline', () => {
  const pipelines = [
    {
      name: 'A',
      stages: ['नया', 'पुराना', 'Call!', 'call', { id: 7, name: 'Won', meaning: 'won' }],
    },
    { id: 4, name: 'B', order: 9, stages: ['New'] },
  ];
  const { stages: _, ...rest } = first;

  const file = complete({ ...rest, pipelines });

  const [a, b] = file.pipelines;
  expect([a.id, a.order, b.id, b.order]).toEqual([5, 1, 4, 9]);
  expect(a.stages.map(({ id, slug }: { id: number; slug: string }) => `${id} ${slug}`)).toEqual([
    '8 stage',
    '9 stage-2',
    '10 call',
    '11 call-2',
    '7 won',
  ]);
  expect(b.stages[0].id).toBe(12);
});

test.each([
  ['is complete', JSON.stringify(sampleSettings, null, '\t')],
  ['is not JSON', '{"users": ["Asha"]'],
  ['is no object', '["Asha"]'],
  ['has other faults', '{"id":1,"users":7,"pipelines":[7],"sources":null}'],
])('the text of a file that %s stays as it is, and needs no settings in force', (_, text) => {
  expect([completedFile(text, undefined), incompleteId(text)]).toEqual([text, undefined]);
});

test('line ends stay, and stages beside pipelines are refused by the check', () => {
  const text = JSON.stringify(first, null, 2).replaceAll('\n', '\r\n');
  const both = JSON.stringify({ ...first, pipelines: [] });

  const completed = completedFile(`${text}\r\n`, undefined);

  expect(completed.split('\r\n').at(-1)).toBe('');
  expect(completed.replaceAll('\r\n', '')).not.toContain('\n');
  expect(JSON.parse(completedFile(both, undefined)).stages).toEqual(first.stages);
  const issues = [
    expect.objectContaining({
      path: '$.stages',
      message: expect.stringMatching(/^stand beside "pipelines": move them /),
    }),
  ];
  expect(() => parseSettingsFile(completedFile(both, undefined))).toThrow(
    expect.objectContaining({ issues }),
  );
});
