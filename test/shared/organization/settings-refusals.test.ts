import { expect, test } from 'vitest';
import { smallFile, withValue } from './settings-cases.ts';
import { builtIn, issuesOf } from './settings-issues.ts';

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
  [
    '$.assignmentRules[0].when',
    { field: 'pipeline', equals: ['3'] },
    /ID of a pipeline/,
    '$.assignmentRules[0].when.equals[0]',
  ],
  [
    '$.assignmentRules[0].when',
    { field: 'assigned_to', equals: ['3'] },
    /ID of a user/,
    '$.assignmentRules[0].when.equals[0]',
  ],
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
  [
    '$.keys[1]',
    { label: 'reader', type: 'website-form', createdBy: 7 },
    /as in \$\.keys\[0\]/,
    '$.keys[1].label',
  ],
  [
    '$.fields[3]',
    builtIn('name', { requiredOnCreate: false }),
    /name is always required/,
    '$.fields[3].requiredOnCreate',
  ],
  [
    '$.fields[3]',
    builtIn('phone', { requiredOnEdit: false }),
    /phone is always required/,
    '$.fields[3].requiredOnEdit',
  ],
  [
    '$.fields[3]',
    builtIn('email', { active: false }),
    /cannot be deactivated/,
    '$.fields[3].active',
  ],
  ['$.fields[3]', builtIn('email', { type: 'text' }), /must be email/, '$.fields[3].type'],
  ['$.fields[3]', builtIn('email', { storage: 'custom' }), /must be column/, '$.fields[3].storage'],
  [
    '$.fields[3]',
    builtIn('email', { showWhen: { field: 'course', equals: ['mba'] } }),
    /always show/,
    '$.fields[3].showWhen',
  ],
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
  expect(issuesOf(text)).toEqual([
    { path: '$', message: expect.stringMatching(/^is not valid JSON: /) },
  ]);
});

test.each(['null', '[]', '5', '"x"'])('refuses %s, which is not an object', (text) => {
  expect(issuesOf(text)).toEqual([
    { path: '$', message: expect.stringMatching(/^must be an object/) },
  ]);
});
