import { expect, test } from 'vitest';
import type { Settings } from '../../../../shared/organization/settings-types.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { customField } from '../../../support/settings.ts';
import { apply, edited, useEditedSettings } from './edited-settings.ts';

useEditedSettings();

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

  const dry = await apply(file, '--dry-run');
  const applied = await apply(file, '--json');
  const again = await apply(file);

  const keys =
    '2 live website-form keys and 1 live application key can send captures: change the forms, or make the field optional.';
  expect(applied.stderr.trim().split('\n')).toEqual([
    `Warning: $.fields[key="email"] is required on create now: captures of new people without it are refused. ${keys}`,
    `Warning: $.fields[key="city"] is required on create now: captures of new people without it are refused. ${keys}`,
    `Warning: $.fields[key="visa"] is required on create now: captures of new people without it are refused where the field is shown. ${keys}`,
  ]);
  expect(dry).toMatchObject({ status: 0, stderr: applied.stderr });
  expect(again).toMatchObject({ status: 0, stderr: '' });
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

test('apply warns of active stages of a pipeline with the same name, whatever its case', async () => {
  const organization = await givenOrganization();
  const stages = (second: object) =>
    edited(organization, ({ pipelines }) => {
      Object.assign(pipelines[0]!.stages[1]!, { name: 'new', ...second });
    });

  const same = await apply(await stages({}), '--dry-run');
  const oneInactive = await apply(await stages({ active: false }), '--dry-run');

  expect(same.stderr).toBe(
    'Warning: $.pipelines[id=1] has 2 active stages named "New" (stages[id=11] and stages[id=12]): an import cannot use the name. Rename all but one.\n',
  );
  expect(oneInactive.stderr).toBe('');
});

test('a new organization with required fields needs no warning', async () => {
  const organization = await givenOrganization();
  const file = await edited(organization, (draft) => {
    draft.id = organization.id === 1 ? 2 : organization.id - 1;
    draft.fields.push({
      ...field(draft, 'city'),
      ...customField('visa', 'text'),
      type: 'text',
      storage: 'custom',
      requiredOnCreate: true,
    });
  });

  expect(await apply(file, '--dry-run')).toMatchObject({ status: 0, stderr: '' });
});
