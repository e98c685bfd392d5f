import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldTypes } from '../../../shared/organization/field-kinds.ts';
import { parseSettingsFile, toSettingsFile } from '../../../shared/organization/settings.ts';
import { stageMeanings } from '../../../shared/organization/settings-schema.ts';
import { sampleField } from '../../support/settings.ts';
import { acceptedCases, refusals } from './settings-case-lists.ts';
import { builtIn, issuesOf, smallFile, withValue } from './settings-cases.ts';

const parse = (file: unknown) => parseSettingsFile(JSON.stringify(file));

test('fills in every default and puts the built-in fields that are left out first', () => {
  const { settings, keys } = parse(smallFile());

  expect(settings.fields.map(({ key }) => key)).toEqual([
    'name',
    'phone',
    'email',
    'source',
    'assigned_to',
    'lead_type',
    'course',
    'years',
    'city',
  ]);
  expect(settings.fields[0]).toEqual({
    key: 'name',
    label: 'Name',
    type: 'text',
    section: 'Contact',
    storage: 'column',
    options: [],
    requiredOnCreate: true,
    requiredOnEdit: true,
    showWhen: null,
    active: true,
  });
  expect(settings.fields[5]?.options.map(({ value }) => value)).toEqual(['student', 'consultant']);
  expect(settings.users[1]).toEqual({ id: 8, name: 'Ravi Iyer', active: true });
  expect(settings.pipelines[1]).toMatchObject({
    isDefault: false,
    stages: [{ isDefault: false, active: true }],
  });
  expect(settings).not.toHaveProperty('keys');
  expect(keys).toEqual([
    { label: 'reader', type: 'application', scopes: ['leads.read'], createdBy: 7 },
  ]);
});

test('keeps a built-in field where the file puts it, with its label, and required in any case', () => {
  const file = smallFile();
  file.fields.push(builtIn('phone', { label: 'Mobile' }) as never);

  const { settings } = parse(file);

  expect(settings.fields.map(({ key }) => key).at(-1)).toBe('phone');
  expect(settings.fields.at(-1)).toMatchObject({
    label: 'Mobile',
    requiredOnCreate: true,
    requiredOnEdit: true,
  });
});

test('gives back a file that is the same settings again', () => {
  const { settings } = parse(smallFile());

  const again = parse(toSettingsFile(settings));

  expect(again.settings).toEqual(settings);
});

test('leaves an option that is being removed out of the file', () => {
  const { settings } = parse(smallFile());
  settings.fields[6]?.options.push({ value: 'bba', label: 'BBA', retired: true });

  expect(JSON.stringify(toSettingsFile(settings))).not.toMatch(/retired|bba/);
});

test.each(acceptedCases)('a settings file is accepted with %s', (_, path, value) => {
  expect(issuesOf(JSON.stringify(withValue(smallFile(), path, value)))).toEqual([]);
});

test('the demo organization shows every field type, every meaning, a condition and the three keys', () => {
  const { settings, keys } = parseSettingsFile(
    readFileSync('infra/local/demo-organization.json', 'utf8'),
  );

  expect(new Set(settings.fields.map(({ type }) => type))).toEqual(new Set(fieldTypes));
  expect(
    new Set(settings.pipelines.flatMap(({ stages }) => stages.map(({ meaning }) => meaning))),
  ).toEqual(new Set(stageMeanings));
  expect(settings.fields.some(({ showWhen }) => showWhen)).toBe(true);
  expect(settings.sources.map(({ name }) => name)).toContain('Website');
  expect(keys.map(({ label }) => label)).toEqual(['website', 'reader', 'writer']);
});

test.each(refusals)(
  'a settings file is refused for $0 = $1',
  (path, value, message, reportedAt = path) => {
    const issues = issuesOf(JSON.stringify(withValue(smallFile(), path, value)));

    expect(issues).toEqual([{ path: reportedAt, message: expect.stringMatching(message) }]);
  },
);

const wrongReferences: [path: string, value: unknown][] = [
  ['$.fields[0].options[1].value', 'mba'],
  ['$.fields[1].showWhen.equals[0]', 'phd'],
  ['$.assignmentRules[0].users[0]', 'Nobody'],
  ['$.keys[0].createdBy', 9],
];
const wrongShapes: [path: string, value: unknown][] = [
  ['$.id', 'x'],
  ['$.users[1].name', 5],
  ['$.users[1].nick', 'R'],
  ['$.pipelines[0].stages[0].slug', undefined],
  ['$.fields[0].label', 5],
  ['$.fields[1].showWhen.field', ['course']],
  ['$.keys', {}],
  ['$.extra', 1],
];
const pathsIn = (...wrong: [path: string, value: unknown][]) => {
  const file = wrong.reduce<object>(
    (bad, [path, value]) => withValue(bad, path, value),
    smallFile(),
  );
  return issuesOf(JSON.stringify(file)).map(({ path }) => path);
};

test('all faults of shape are listed together, and nothing else as long as there is one', () => {
  const paths = wrongShapes.map(([path]) => path);
  expect(pathsIn(...wrongReferences, ...wrongShapes).sort()).toEqual(paths.sort());
});

test('in a file of valid shape, all wrong references are listed together', () => {
  expect(pathsIn(...wrongReferences)).toEqual([
    '$.keys[0].createdBy',
    '$.fields[0].options[1].value',
    '$.fields[1].showWhen.equals[0]',
    '$.assignmentRules[0].users[0]',
  ]);
});

test.each([
  ['', /^is not valid JSON: /],
  ['[1,]', /^is not valid JSON: /],
  ['null', /^must be an object/],
  ['[]', /^must be an object/],
])('a settings file is refused when it is %j', (text, message) => {
  expect(issuesOf(text)).toEqual([{ path: '$', message: expect.stringMatching(message) }]);
});

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

test('an unknown name is refused, with the valid ones', () => {
  const issues = issuesOf(
    withRules(
      { when: { field: 'source', equals: ['Fare', 'Fair'] }, users: ['Nobody', 'Asha Rao', 7] },
      { when: { field: 'course', equals: ['PhD'] }, users: ['Nobody', 'Nobody'] },
    ),
  );

  expect(issues).toEqual([
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
    ...[0, 1].map((at) => ({
      path: `$.assignmentRules[1].users[${at}]`,
      message: 'is "Nobody", but must be the ID of a user in $.users, or its name',
    })),
  ]);
});

test('a name of several active items is refused, and a name of a single active item is not', () => {
  const file = smallFile();
  const issuesWith = (...active: boolean[]) => {
    const users = active.map((one, index) => ({ id: index + 7, name: 'Asha Rao', active: one }));
    return issuesOf(JSON.stringify({ ...file, users, assignmentRules: [{ users: ['asha rao'] }] }));
  };

  expect(issuesWith(false, true, false)).toEqual([]);
  expect(issuesWith(true, true, false)).toEqual([
    {
      path: '$.assignmentRules[0].users[0]',
      message: 'is "asha rao", which is the name of several items: use an ID',
    },
  ]);
});

test.each([[null], ['crm'], [[null, 5, { users: 5, when: 7 }, { when: { field: 3, equals: 4 } }]]])(
  'malformed rules are only reported: %j',
  (assignmentRules) => {
    const issues = issuesOf(JSON.stringify({ ...smallFile(), assignmentRules }));

    expect(issues.length).toBeGreaterThan(0);
    for (const { path } of issues) expect(path).toMatch(/^\$\.assignmentRules/);
  },
);
