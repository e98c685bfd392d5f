import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { fieldTypes } from '../../../shared/organization/field-kinds.ts';
import { parseSettingsFile, SettingsFileError, toSettingsFile } from '../../../shared/organization/settings.ts';
import { stageMeanings } from '../../../shared/organization/settings-schema.ts';
import { smallFile, withValue } from './settings-cases.ts';

const parse = (file: unknown) => parseSettingsFile(JSON.stringify(file));

function issuesOf(text: string): { path: string; message: string }[] {
  try {
    parseSettingsFile(text);
  } catch (error) {
    if (error instanceof SettingsFileError) return [...error.issues];
    throw error;
  }
  return [];
}

const builtIn = (key: string, more: object = {}) => {
  const types: Record<string, string> = { name: 'text', phone: 'phone', email: 'email', lead_type: 'select' };
  return { key, label: key, type: types[key], section: 'Contact', storage: 'column', ...more };
};

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
  expect(settings.pipelines[1]).toMatchObject({ isDefault: false, stages: [{ isDefault: false, active: true }] });
  expect(settings).not.toHaveProperty('keys');
  expect(keys).toEqual([{ label: 'reader', type: 'application', scopes: ['leads.read'], createdBy: 7 }]);
});

test('keeps a built-in field where the file puts it, with its label, and required although the file does not say so', () => {
  const file = smallFile();
  file.fields.push(builtIn('phone', { label: 'Mobile' }) as never);

  const { settings } = parse(file);

  expect(settings.fields.map(({ key }) => key).at(-1)).toBe('phone');
  expect(settings.fields.at(-1)).toMatchObject({ label: 'Mobile', requiredOnCreate: true, requiredOnEdit: true });
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

const refusals: [path: string, value: unknown, message: RegExp, reportedAt?: string][] = [
  ['$.id', 0, /integer from 1 to 2147483647, but is 0/],
  ['$.id', 2147483648, /integer from 1 to 2147483647/],
  ['$.id', '1', /but is "1"/],
  ['$.name', undefined, /is missing/],
  ['$.name', ' ', /without spaces around/],
  ['$.name', 'a\0b', /U\+0000/],
  ['$.users[0].name', '\ud800', /surrogate/],
  ['$.users[0].name', 'x'.repeat(201), /1 to 200/],
  ['$.users[2].id', 1.5, /integer/],
  ['$.users[0].active', null, /true or false, but is null/],
  ['$.users[0].activ', true, /did you mean active/],
  ['$.users[2].id', 7, /as in \$\.users\[0\]/],
  ['$.users', {}, /must be a list/],
  ['$.users[2]', [], /must be an object, but is a list/],
  ['$.pipeline', [], /did you mean pipelines/],
  ['$.__proto__', {}, /is not a property/],
  ['$.constructor', {}, /is not a property/],
  ['$.fields[0].__proto__', {}, /is not a property/],
  ['$.modules', 'crm', /must be a list/],
  ['$.pipelines[1].id', 1, /as in \$\.pipelines\[0\]/],
  ['$.pipelines[1].isDefault', true, /only one pipeline/],
  ['$.pipelines[1].stages[0].id', 11, /across pipelines/],
  ['$.pipelines[0].stages[1].isDefault', true, /only one active stage/],
  ['$.pipelines[0].stages[0].slug', 'New Lead', /lower-case/],
  ['$.pipelines[0].stages[0].meaning', 'opened', /one of open, won, lost/],
  ['$.pipelines[0].order', 1.5, /integer/],
  ['$.sources[2].id', 1, /as in \$\.sources\[0\]/],
  ['$.sources[1].name', 'WEBSITE', /ignoring case/],
  ['$.fields[2].key', 'course', /as in \$\.fields\[0\]/],
  ['$.fields[1].key', '__proto__', /not one of __proto__/],
  ['$.fields[1].key', 'constructor', /not one of/],
  ['$.fields[1].key', 'pipeline', /not one of/],
  ['$.fields[1].key', 'k'.repeat(65), /1 to 64/],
  ['$.fields[1].key', '', /1 to 64/],
  ['$.fields[1].type', 'numbr', /one of text/],
  ['$.fields[1].storage', 'column', /must be custom/],
  ['$.fields[1].options', [{ value: 'a', label: 'A' }], /only select and multiselect/],
  ['$.fields[0].options', undefined, /is missing/],
  ['$.fields[0].options', [], /is empty/],
  ['$.fields[0].options[1].value', 'mba', /as in \$\.fields\[0\]\.options\[0\]/],
  ['$.fields[0].options[1].retired', true, /is not a property/],
  ['$.fields[1].showWhen.field', 'curse', /did you mean course/],
  ['$.fields[1].showWhen.field', 'pipeline', /is not a field/],
  ['$.fields[1].showWhen.field', 'years', /itself/],
  ['$.fields[1].showWhen.equals[0]', 'phd', /option of course: mba, design/],
  ['$.fields[1].showWhen.equals', [], /at least one/],
  ['$.assignmentRules[0].when.field', 'sources', /did you mean source/],
  ['$.assignmentRules[0].when.equals[0]', '9', /ID of a source/],
  ['$.assignmentRules[0].when', { field: 'pipeline', equals: ['3'] }, /ID of a pipeline/, '$.assignmentRules[0].when.equals[0]'],
  ['$.assignmentRules[0].when', { field: 'assigned_to', equals: ['3'] }, /ID of a user/, '$.assignmentRules[0].when.equals[0]'],
  ['$.assignmentRules[0].users[1]', 9, /not in \$\.users/],
  ['$.assignmentRules[0].users[1]', 7, /again/],
  ['$.keys[0].createdBy', 9, /not in \$\.users/],
  ['$.keys[0].type', 'app', /website-form, application/],
  ['$.keys[0].scopes', undefined, /at least one/],
  ['$.keys[0].scopes', [], /at least one/],
  ['$.keys[0].scopes[0]', 'leads.delete', /one of leads.read/],
  ['$.keys[0].type', 'website-form', /only leads\.capture/, '$.keys[0].scopes'],
  ['$.keys[0].expiresAt', '2026-02-30T00:00:00Z', /date-time/],
  ['$.keys[0].expiresAt', '2026-02-20', /date-time/],
  ['$.keys[1]', { label: 'reader', type: 'website-form', createdBy: 7 }, /as in \$\.keys\[0\]/, '$.keys[1].label'],
  ['$.fields[3]', builtIn('name', { requiredOnCreate: false }), /name is always required/, '$.fields[3].requiredOnCreate'],
  ['$.fields[3]', builtIn('phone', { requiredOnEdit: false }), /phone is always required/, '$.fields[3].requiredOnEdit'],
  ['$.fields[3]', builtIn('email', { active: false }), /cannot be deactivated/, '$.fields[3].active'],
  ['$.fields[3]', builtIn('email', { type: 'text' }), /must be email/, '$.fields[3].type'],
  ['$.fields[3]', builtIn('email', { storage: 'custom' }), /must be column/, '$.fields[3].storage'],
  ['$.fields[3]', builtIn('email', { showWhen: { field: 'course', equals: ['mba'] } }), /always show/, '$.fields[3].showWhen'],
  [
    '$.fields[3]',
    builtIn('lead_type', { options: [{ value: 'student', label: 'S' }] }),
    /student and consultant/,
    '$.fields[3].options',
  ],
];

test.each(refusals)('refuses %s = %j', (path, value, message, reportedAt = path) => {
  const issues = issuesOf(JSON.stringify(withValue(smallFile(), path, value)));

  expect(issues).toEqual([{ path: reportedAt, message: expect.stringMatching(message) }]);
});

const odd: [what: string, path: string, value: unknown][] = [
  ['no module', '$.modules', []],
  ['no pipeline', '$.pipelines', []],
  ['all users inactive', '$.users', [7, 8].map((id) => ({ id, name: 'A', active: false }))],
  ['no active default stage', '$.pipelines[0].stages[0].active', false],
  [
    'two default stages, one inactive',
    '$.pipelines[0].stages[1]',
    { id: 12, name: 'B', slug: 'b', order: 1, meaning: 'won', isDefault: true, active: false },
  ],
  ['an inactive source of the same name', '$.sources[1]', { id: 3, name: 'website', active: false }],
  ['a rule without users', '$.assignmentRules[0].users', []],
  ['a rule that always holds', '$.assignmentRules[0].when', undefined],
  ['no rules', '$.assignmentRules', undefined],
  ['a key past its expiry', '$.keys[0].expiresAt', '2020-02-29T23:00:00+05:30'],
  ['a website-form key that names no scopes', '$.keys[0]', { label: 'w', type: 'website-form', createdBy: 8 }],
  ['no options, spelled out', '$.fields[1].options', []],
  ['a condition on an inactive field', '$.fields[0].active', false],
  [
    'relabelled lead types, in another order',
    '$.fields[3]',
    builtIn('lead_type', { options: ['consultant', 'student'].map((value) => ({ value, label: `a ${value}` })) }),
  ],
];

test.each(odd)('accepts %s', (_, path, value) => {
  expect(issuesOf(JSON.stringify(withValue(smallFile(), path, value)))).toEqual([]);
});

test('lists every issue of a file at once', () => {
  const file = [
    ['$.id', 'x'],
    ['$.users[1].name', 5],
    ['$.fields[0].options[1].value', 'mba'],
    ['$.fields[0].label', 5],
    ['$.fields[1].showWhen.equals[0]', 'phd'],
    ['$.keys[0].createdBy', 9],
    ['$.extra', 1],
  ].reduce((bad, [path, value]) => withValue(bad, path as string, value), smallFile() as object);

  const paths = issuesOf(JSON.stringify(file)).map(({ path }) => path);

  expect(paths.sort()).toEqual([
    '$.extra',
    '$.fields[0].label',
    '$.fields[0].options[1].value',
    '$.fields[1].showWhen.equals[0]',
    '$.id',
    '$.keys[0].createdBy',
    '$.users[1].name',
  ]);
});

test.each(['', '{', '[1,]', 'nonsense'])('refuses %j, which is not JSON', (text) => {
  expect(issuesOf(text)).toEqual([{ path: '$', message: expect.stringMatching(/^is not valid JSON: /) }]);
});

test.each(['null', '[]', '5', '"x"'])('refuses %s, which is not an object', (text) => {
  expect(issuesOf(text)).toEqual([{ path: '$', message: expect.stringMatching(/^must be an object/) }]);
});

test('leads.write brings leads.read, and an expiry is kept in UTC', () => {
  const file = withValue(smallFile(), '$.keys[0]', {
    label: 'w',
    type: 'application',
    scopes: ['leads.write'],
    createdBy: 7,
    expiresAt: '2027-01-01T00:00:00+05:30',
  });

  expect(parse(file).keys).toEqual([
    {
      label: 'w',
      type: 'application',
      scopes: ['leads.read', 'leads.write'],
      createdBy: 7,
      expiresAt: '2026-12-31T18:30:00.000Z',
    },
  ]);
});

test('the demo organization shows every field type, every meaning, a condition and the three keys', () => {
  const { settings, keys } = parseSettingsFile(readFileSync('infra/local/demo-organization.json', 'utf8'));

  expect(new Set(settings.fields.map(({ type }) => type))).toEqual(new Set(fieldTypes));
  expect(new Set(settings.pipelines.flatMap(({ stages }) => stages.map(({ meaning }) => meaning)))).toEqual(
    new Set(stageMeanings),
  );
  expect(settings.fields.some(({ showWhen }) => showWhen)).toBe(true);
  expect(settings.sources.map(({ name }) => name)).toContain('Website');
  expect(keys.map(({ label }) => label)).toEqual(['website', 'reader', 'writer']);
});
