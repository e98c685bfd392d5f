import { expect, test } from 'vitest';
import { settingsWarnings } from '../../../../infra/admin/organization/settings-warnings.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import { transact } from '../../../../shared/store/table/transact.ts';
import { generatedLead } from '../../../support/generated/leads.ts';
import { modelTable } from '../../../support/model-table.ts';
import { givenOrganizationWithoutKeys, newSettings } from '../../../support/organizations.ts';
import { customField, sampleSettings } from '../../../support/settings.ts';

/** An organization with two live keys that can capture, one of them of user 8, and two leads of that user. */
async function givenTable() {
  const table = modelTable();
  const { key } = await givenOrganizationWithoutKeys({}, table, 1);
  await key({ scopes: ['leads.capture'], label: 'form' });
  await key({ scopes: ['leads.read'] });
  await key({ scopes: ['leads.capture'], expiresAt: new Date(Date.now() - 60_000) });
  const { keyId } = await key({ label: 'sync', createdBy: 8 });
  await transact(
    table,
    [1, 2, 3].map((id) => putLead(generatedLead(1, id, 10))),
  );
  return { table, keyId };
}
const given = givenTable(); // no test changes it

/** The warnings about settings that follow others, or are those of a new organization. */
async function warnings(
  before: object | undefined,
  after: object,
  edit = (settings: Settings) => settings,
): Promise<string[]> {
  const { table, keyId } = await given;
  const old = before && newSettings(before, 1);
  const sentences = await settingsWarnings(table, old, edit(newSettings(after, 1)));
  return sentences.map((sentence) => sentence.replaceAll(keyId, 'KEY'));
}

const [pipeline] = sampleSettings.pipelines;
const [stage] = pipeline!.stages;
const inactive = (ids: readonly number[]) => ({
  users: sampleSettings.users.map((user) => ({
    ...user,
    active: user.active !== false && !ids.includes(user.id),
  })),
});
const withoutWebsite = { sources: [{ id: 3, name: 'Facebook Ads' }] };

test.each<[what: string, after: object, warning: RegExp]>([
  ['no module', { modules: [] }, /^Warning: \$\.modules does not contain "crm": .*FORBIDDEN/],
  [
    'no default pipeline',
    { pipelines: [{ ...pipeline, isDefault: false }] },
    /^Warning: \$\.pipelines has no default pipeline: .*NOT_READY/,
  ],
  [
    'no starting stage',
    { pipelines: [{ ...pipeline, stages: [{ ...stage, active: false }] }] },
    /^Warning: \$\.pipelines\[id=1\]\.stages has no active default stage: .*NOT_READY/,
  ],
  ['nobody active', inactive([7, 8]), /^Warning: \$\.users has no active user .*NOT_READY/],
  ['no source Website', withoutWebsite, /^Warning: \$\.sources has no active "Website": /],
])(
  'settings with %s have one warning, those of a new organization too',
  async (_, after, warning) => {
    for (const before of [{}, undefined])
      expect(await warnings(before, after)).toEqual([expect.stringMatching(warning)]);
  },
);

const [required, shown] = [{ requiredOnCreate: true }, { field: 'city', equals: ['Pune'] }];
const city = customField('city', 'text');

test.each<[what: string, before: object | undefined, after: object, isWarned: boolean]>([
  ['is new', undefined, required, true],
  ['was optional', {}, required, true],
  ['was inactive', { ...required, active: false }, required, true],
  ['was required where it is shown', { ...required, showWhen: shown }, required, true],
  ['was required', required, required, false],
  ['was required always', required, { ...required, showWhen: shown }, false],
  ['is inactive', undefined, { ...required, active: false }, false],
  ['is required on edit', undefined, { requiredOnEdit: true }, false],
])('a required field that %s: captures without it are refused', async (_, was, is, isWarned) => {
  const others = (changes?: object) => ({
    fields: [city, ...(changes ? [customField('visa', 'text', changes)] : [])],
  });

  const keys = '2 live API keys can send captures: change the forms, or make the field optional.';
  const refused = 'captures of new people without it are refused';
  expect(await warnings(others(was), others(is))).toEqual(
    isWarned
      ? [`Warning: $.fields[key="visa"] is required on create now: ${refused}. ${keys}`]
      : [],
  );
});

test.each([
  ['an email', 'email', {}, 1],
  ['an owner, whom the rules choose', 'assigned_to', {}, 0],
  ['a source, which is Website by default', 'source', {}, 0],
  ['a source without a default', 'source', withoutWebsite, 2], // the other one says that there is no default
])('%s that becomes required', async (_, key, settings, count) => {
  const requireIt = ({ fields, ...others }: Settings): Settings => ({
    ...others,
    fields: fields.map((field) => (field.key === key ? { ...field, ...required } : field)),
  });

  expect(await warnings(settings, settings, requireIt)).toHaveLength(count);
});

test('a field that is shown on a condition is refused only where it is shown', async () => {
  const visa = customField('visa', 'text', { ...required, showWhen: shown });

  const [warning] = await warnings({ fields: [city] }, { fields: [city, visa] });
  expect(warning).toContain('are refused where the field is shown. ');
});

test('a user who leaves has leads, a live key and a rule; one who left before is not named', async () => {
  const rules = [{ users: [8, 9] }, { users: [8, 7] }];
  const before = { assignmentRules: rules };

  expect(await warnings(before, { ...before, ...inactive([8]) })).toEqual([
    'Warning: Ravi Iyer ($.users[id=8]) is inactive and still owns 2 leads: give them to others with npm run admin -- lead reassign --organization 1 --from 8 --to USER_ID.',
    'Warning: API key KEY (sync) still writes in the name of Ravi Iyer ($.users[id=8]), who is inactive: replace it with npm run admin -- key rotate --organization 1 --key KEY --created-by USER_ID.',
    'Warning: $.assignmentRules[0] has no active user without Ravi Iyer ($.users[id=8]): the rule is skipped. Add an active user to it.',
  ]);
});
