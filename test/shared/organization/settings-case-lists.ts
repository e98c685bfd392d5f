import { customField } from '../../support/settings.ts';
import { builtIn } from './settings-cases.ts';

/** Values that a settings file may have at a path of `smallFile`, unusual as they are. */
export const acceptedCases: [what: string, path: string, value: unknown][] = [
  ['no module', '$.modules', []],
  ['no pipeline', '$.pipelines', []],
  ['all users inactive', '$.users', [7, 8].map((id) => ({ id, name: 'A', active: false }))],
  ['no active default stage', '$.pipelines[0].stages[0].active', false],
  [
    'two default stages, one inactive',
    '$.pipelines[0].stages[1]',
    { id: 12, name: 'B', slug: 'b', order: 1, meaning: 'won', isDefault: true, active: false },
  ],
  [
    'an inactive source of the same name',
    '$.sources[1]',
    { id: 3, name: 'website', active: false },
  ],
  ['a rule without users', '$.assignmentRules[0].users', []],
  ['a rule that always holds', '$.assignmentRules[0].when', undefined],
  ['no rules', '$.assignmentRules', undefined],
  ['names that only capitals make alike', '$.sources[1]', { id: 3, name: 'Webſite' }],
  ['a key past its expiry', '$.keys[0].expiresAt', '2020-02-29T23:00:00+05:30'],
  [
    'a website-form key that names no scopes',
    '$.keys[0]',
    { label: 'w', type: 'website-form', createdBy: 8 },
  ],
  ['no options, spelled out', '$.fields[1].options', []],
  ['a condition on an inactive field', '$.fields[0].active', false],
  [
    'relabelled lead types, in another order',
    '$.fields[3]',
    builtIn('lead_type', {
      options: ['consultant', 'student'].map((value) => ({ value, label: `a ${value}` })),
    }),
  ],
];

type Refusal = [path: string, value: unknown, message: RegExp, reportedAt?: string];

const ifMba = { field: 'course', equals: ['mba'] };
/** A built-in field whose only property here is refused. */
const ofBuiltIn = (key: string, property: object, message: RegExp): Refusal => [
  '$.fields[3]',
  builtIn(key, property),
  message,
  `$.fields[3].${Object.keys(property)}`,
];

/** Values that are refused, with the message, and the path that it is reported at where that is another one. */
export const refusals: Refusal[] = [
  ['$.id', 0, /integer from 1 to 2147483647, but is 0/],
  ['$.id', '1', /but is "1"/],
  ['$.name', undefined, /is missing/],
  ['$.name', ' ', /without spaces around/],
  ['$.name', 'a\0b', /U\+0000/],
  ['$.users[0].name', '\ud800', /surrogate/],
  ['$.users[0].name', 'x'.repeat(201), /1 to 200/],
  ['$.users[0].active', null, /true or false, but is null/],
  ['$.users[0].activ', true, /did you mean active/],
  ['$.users[2].id', 7, /as in \$\.users\[0\]/],
  ['$.users[2]', [], /must be an object, but is an empty list/],
  ['$.pipeline', [], /did you mean pipelines/],
  ['$.__proto__', {}, /is not a property/],
  ['$.modules', 'crm', /must be a list/],
  ['$.pipelines[1].id', 1, /as in \$\.pipelines\[0\]/],
  ['$.pipelines[1].isDefault', true, /only one pipeline/],
  ['$.pipelines[1].stages[0].id', 11, /across pipelines/],
  ['$.pipelines[0].stages[1].isDefault', true, /only one active stage/],
  ['$.pipelines[0].stages[0].slug', 'New Lead', /lower-case/],
  ['$.pipelines[0].stages[0].meaning', 'opened', /one of open, won, lost/],
  ['$.sources[2].id', 1, /as in \$\.sources\[0\]/],
  ['$.sources[1].name', 'WEBSITE', /ignoring case/],
  ['$.fields[2].key', 'course', /as in \$\.fields\[0\]/],
  ['$.fields[1].key', '__proto__', /not one of __proto__/],
  ['$.fields[1].key', 'pipeline', /not one of/],
  ['$.fields[1].key', 'k'.repeat(65), /1 to 64/],
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
  [
    '$.fields[0]',
    customField('course', 'checkbox'),
    /must be true or false/,
    '$.fields[1].showWhen.equals[0]',
  ],
  ['$.fields[1].showWhen.equals', [], /at least one string, but is an empty list/],
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
  ['$.assignmentRules[0].users[1]', 9, /ID of a user in \$\.users/],
  ['$.assignmentRules[0].users[1]', 7, /again/],
  ['$.keys[0].createdBy', 9, /ID of a user in \$\.users/],
  ['$.keys[0].type', 'app', /website-form, application/],
  ['$.keys[0].scopes', undefined, /at least one/],
  ['$.keys[0].scopes[0]', 'leads.delete', /one of leads.read/],
  ['$.keys[0].type', 'website-form', /only leads\.capture/, '$.keys[0].scopes'],
  ['$.keys[0].expiresAt', '2026-02-30T00:00:00Z', /date-time/],
  [
    '$.keys[1]',
    { label: 'reader', type: 'website-form', createdBy: 7 },
    /as in \$\.keys\[0\]/,
    '$.keys[1].label',
  ],
  ofBuiltIn('name', { requiredOnCreate: false }, /must be true, because name is a built-in field/),
  ofBuiltIn('phone', { requiredOnEdit: false }, /must be true, because phone is a built-in field/),
  ofBuiltIn('email', { active: false }, /must be true, because email is a built-in field/),
  ofBuiltIn('email', { type: 'text' }, /must be email/),
  ofBuiltIn('email', { storage: 'custom' }, /must be column/),
  ofBuiltIn('email', { showWhen: ifMba }, /must be null, because email is a built-in field/),
  ...[['student'], ['student', 'agent'], ['student', 'consultant', 'agent']].map((values) =>
    ofBuiltIn(
      'lead_type',
      { options: values.map((value) => ({ value, label: value })) },
      /student and consultant/,
    ),
  ),
];
