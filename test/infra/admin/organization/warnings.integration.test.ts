import { expect, test } from 'vitest';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { run } from '../commands.ts';
import { apply, useEditedSettings } from './edited-settings.ts';

const edited = useEditedSettings();

useOwnTable();

test.each<[state: string, edit: (draft: Settings) => void, warning: RegExp]>([
  [
    'the module crm is missing',
    (draft) => draft.modules.pop(),
    /^Warning: \$\.modules does not contain "crm": .*FORBIDDEN/,
  ],
  [
    'there is no default pipeline',
    (draft) => Object.assign(draft.pipelines[0]!, { isDefault: false }),
    /^Warning: \$\.pipelines has no default pipeline: .*NOT_READY/,
  ],
  [
    'the default pipeline has no starting stage',
    (draft) => Object.assign(draft.pipelines[0]!.stages[0]!, { active: false }),
    /^Warning: \$\.pipelines\[id=1\]\.stages has no active default stage: .*NOT_READY/,
  ],
  [
    'nobody is active',
    (draft) => {
      draft.users = draft.users.map((user) => ({ ...user, active: false }));
    },
    /^Warning: \$\.users has no active user .*NOT_READY/,
  ],
  [
    'no active source is named Website',
    (draft) => Object.assign(draft.sources[0]!, { name: 'Web' }),
    /^Warning: \$\.sources has no active "Website": .*have no source/,
  ],
])('apply warns on stderr when %s, and still applies the settings', async (_, edit, warning) => {
  const organization = await givenOrganization();
  const file = await edited(organization, edit);

  const dry = await apply(file, '--dry-run');
  const applied = await apply(file);
  const undone = await run(organization, 'organization undo', '--yes');

  expect(dry).toMatchObject({ status: 0, stderr: expect.stringMatching(warning) });
  expect(applied).toMatchObject({ status: 0, stderr: dry.stderr });
  expect(applied.stderr.trim().split('\n')).toHaveLength(1);
  expect(undone).toMatchObject({ status: 0, stderr: '' });
});

const field = (draft: Settings, key: string) => draft.fields.find((one) => one.key === key)!;

test('apply warns when live forms must send a field from now on, and says how many live keys there are', async () => {
  const organization = await givenOrganization();
  await organization.key({ type: 'website-form', scopes: ['leads.capture'], label: 'second' });
  const past = new Date(Date.now() - 60_000);
  await organization.key({ type: 'website-form', scopes: ['leads.capture'], expiresAt: past });
  const file = await edited(organization, (draft) => {
    field(draft, 'city').requiredOnCreate = true;
    field(draft, 'email').requiredOnCreate = true;
    field(draft, 'assigned_to').requiredOnCreate = true;
    field(draft, 'source').requiredOnCreate = true;
    field(draft, 'remarks').requiredOnEdit = true;
    draft.fields.push({
      ...field(draft, 'city'),
      key: 'visa',
      showWhen: { field: 'course', equals: ['mba'] },
    });
    draft.fields.push({ ...field(draft, 'city'), key: 'later', active: false });
  });

  const copy = await edited(organization, (draft) => {
    Object.assign(draft, { id: organization.id === 1 ? 2 : organization.id - 1 });
    field(draft, 'city').requiredOnCreate = true;
  });

  const dry = await apply(file, '--dry-run');
  const applied = await apply(file);
  const again = await apply(file);
  const ofNew = await apply(copy, '--dry-run');

  const keys = '3 live API keys can send captures: change the forms, or make the field optional.';
  expect(applied.stderr.trim().split('\n')).toEqual([
    `Warning: $.fields[key="email"] is required on create now: captures of new people without it are refused. ${keys}`,
    `Warning: $.fields[key="city"] is required on create now: captures of new people without it are refused. ${keys}`,
    `Warning: $.fields[key="visa"] is required on create now: captures of new people without it are refused where the field is shown. ${keys}`,
  ]);
  expect(dry).toMatchObject({ status: 0, stderr: applied.stderr });
  expect([again.stderr, ofNew.stderr]).toEqual(['', '']);
});

test('apply warns when a user who leaves owns leads, has a live key, or is the only one that a rule names', async () => {
  const organization = await givenOrganization({
    assignmentRules: [
      { when: { field: 'course', equals: ['mba'] }, users: [8, 9] },
      { users: [8, 7] },
    ],
  });
  const { keyId } = await organization.key({ label: 'sync', createdBy: 8 });
  for (const assigned_to of [8, 8, 7]) await givenLead(organization, { fields: { assigned_to } });
  const file = await edited(organization, (draft) => {
    draft.users[1]!.active = false;
  });

  const dry = await apply(file, '--dry-run', '--json');
  const { stderr } = await apply(file);

  const { id } = organization;
  expect(stderr.trim().split('\n')).toEqual([
    `Warning: Ravi Iyer ($.users[id=8]) is inactive and still owns 2 leads: give them to others with npm run admin -- lead reassign --organization ${id} --from 8 --to USER_ID.`,
    `Warning: API key ${keyId} (sync) still writes in the name of Ravi Iyer ($.users[id=8]), who is inactive: replace it with npm run admin -- key rotate --organization ${id} --key ${keyId} --created-by USER_ID.`,
    'Warning: $.assignmentRules[0] has no active user without Ravi Iyer ($.users[id=8]): the rule is skipped. Add an active user to it.',
  ]);
  expect(dry.stderr).toBe(stderr);
});
