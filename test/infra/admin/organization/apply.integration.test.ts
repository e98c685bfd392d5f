import { expect, test } from 'vitest';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { runAdmin } from '../../../support/admin.ts';
import { givenLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { run } from '../commands.ts';
import { apply, useEditedSettings } from './edited-settings.ts';

const edited = useEditedSettings();

useOwnTable();

const shown = async ({ id }: GivenOrganization) =>
  (await runAdmin(['organization', 'show', String(id), '--json'])).json;

test('a dry run prints the changes by JSON path, the apply makes them, and a second apply changes nothing', async () => {
  const organization = await givenOrganization();
  const before = await shown(organization);
  const file = await edited(organization, (draft) => {
    draft.name = 'Southwind';
    draft.users[1]!.active = false;
    draft.users[2]!.active = true;
    const [one, two, three] = draft.sources;
    draft.sources = [two!, one!, three!, { id: 5, name: 'Radio', active: true }];
  });
  const without = await edited(organization, (draft) => draft.sources.pop());

  const dry = await apply(file, '--dry-run', '--json');
  const dryForPeople = await apply(file, '--dry-run');
  // Only dry: an apply that drops an item waits for the longest request.
  const dryRemoval = await apply(without, '--dry-run');
  const afterDry = await shown(organization);
  const applied = await apply(file);
  const again = await apply(file, '--dry-run');

  const { id } = organization;
  expect(dry).toMatchObject({ status: 0, stderr: '' });
  expect(dry.json).toEqual({
    organization: { id },
    outcome: 'updated',
    refusals: [],
    changes: [
      { path: '$.name', change: 'changed', from: 'Northwind Academy', to: 'Southwind' },
      { path: '$.users[id=8]', change: 'deactivated' },
      { path: '$.users[id=9]', change: 'activated' },
      expect.objectContaining({ path: '$.sources[id=5]', change: 'added' }),
      expect.objectContaining({ path: '$.sources', change: 'reordered' }),
    ],
  });
  expect(afterDry).toEqual(before);
  const lines = applied.stdout.trim().split('\n');
  expect(lines).toEqual([
    expect.stringMatching(/^Organization \d+ \(Southwind\) is updated, version 2: 3 users/),
    '  $.name changed: from "Northwind Academy" to "Southwind"',
    '  $.users[id=8] deactivated',
    '  $.users[id=9] activated',
    '  $.sources[id=5] added: "Radio"',
    '  $.sources reordered: [id=3], [id=1], [id=4]',
  ]);
  expect(dryRemoval.stdout).toMatch(/:\n {2}\$\.sources\[id=4\] removed: "Old fair"\n$/);
  expect(dryForPeople.stdout.trim().split('\n').slice(1)).toEqual(lines.slice(1));
  expect(again.stdout).toBe(
    `Organization ${id} (Southwind) already has these settings: nothing would change.\n`,
  );
});

test('a dry run prints the refusals by name and count, with status 1, and the apply is refused too', async () => {
  const organization = await givenOrganization();
  for (const assigned_to of [7, 7])
    await givenLead(organization, { fields: { source: 3, assigned_to } });
  const before = await shown(organization);
  const file = await edited(organization, (draft) => {
    draft.sources = draft.sources.filter(({ id }) => id !== 3);
    draft.users = draft.users.filter(({ id }) => id !== 7);
  });

  const dry = await apply(file, '--dry-run', '--json');
  const forPeople = await apply(file, '--dry-run');
  const applied = await apply(file);

  const lines = [
    expect.stringMatching(
      /^ {2}\$\.users\[id=7\] \(Asha Rao\) is still used by 2 leads and as the creator of API keys .*: deactivate it instead/,
    ),
    expect.stringMatching(/^ {2}\$\.sources\[id=3\] \(Facebook Ads\) is still used by 2 leads: /),
  ];
  expect([dry.status, forPeople.status, applied.status]).toEqual([1, 1, 1]);
  expect(
    dry.json.refusals.map(
      ({ path, message }: { path: string; message: string }) => `  ${path} ${message}`,
    ),
  ).toEqual(lines);
  expect(forPeople.stdout.trim().split('\n').slice(-3)).toEqual([
    'The file would be refused, and nothing would change:',
    ...lines,
  ]);
  expect(applied.stderr.trim().split('\n')).toEqual([
    'The file removes items that are still used; nothing was changed.',
    ...lines,
  ]);
  expect(await shown(organization)).toEqual(before);
});

test('names that people read alike are refused with both paths, unless both are in force', async () => {
  const organization = await givenOrganization({
    sources: [
      { id: 1, name: 'Website' },
      { id: 2, name: 'Straße' },
      { id: 3, name: 'STRASSE' },
    ],
  });
  const alike = await edited(organization, (draft) => {
    draft.users[1]!.name = 'asha rao';
  });
  const issue =
    '$.users[1].name is "asha rao", which people read as "Asha Rao" in $.users[0].name: give each a name of its own';

  const dry = await apply(alike, '--dry-run');
  const refused = await apply(alike);
  const other = await edited(organization, (draft) => {
    draft.name = 'South';
  });
  const renamed = await apply(other);

  expect([dry.status, dry.stdout.trim().split('\n').at(-1)]).toEqual([1, `  ${issue}`]);
  expect([refused.status, refused.stderr.trim()]).toEqual([
    1,
    `The file has names that look alike; nothing was changed.\n  ${issue}`,
  ]);
  expect([renamed.status, renamed.stderr]).toEqual([0, '']);
});

test('a dry run of an unknown organization would create it; organizations are listed by ID', async () => {
  const organization = await givenOrganization();
  const file = await edited(organization, (draft) => {
    draft.id = organization.id === 1 ? 2 : organization.id - 1;
  });

  const created = await apply(file, '--dry-run', '--json');
  const { json } = await runAdmin(['organization', 'list', '--json']);
  const forPeople = await runAdmin(['organization', 'list']);

  expect(created.json).toMatchObject({
    outcome: 'created',
    refusals: [],
    changes: [{ path: '$', change: 'added' }],
  });
  const ids = json.items.map(({ id }: { id: number }) => id);
  expect(ids).not.toContain(created.json.organization.id);
  expect(ids).toEqual(ids.toSorted((a: number, b: number) => a - b));
  expect(json.items).toContainEqual({ id: organization.id, name: 'Northwind Academy' });
  expect(forPeople.stdout).toMatch(
    new RegExp(`^ID +NAME\\n[^]*${organization.id} +Northwind Academy\\n`),
  );
});

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
])('apply warns on stderr if %s, and still applies the settings', async (_, edit, warning) => {
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
