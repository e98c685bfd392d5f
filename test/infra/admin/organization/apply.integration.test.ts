import { expect, test } from 'vitest';
import { runAdmin } from '../../../support/admin.ts';
import { givenLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
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

test('apply and its dry run print warnings on stderr, and the settings are applied', async () => {
  const organization = await givenOrganization();
  const file = await edited(organization, (draft) => {
    Object.assign(draft.sources[0]!, { name: 'Web' });
    draft.fields.find(({ key }) => key === 'city')!.requiredOnCreate = true;
  });

  const dry = await apply(file, '--dry-run');
  const applied = await apply(file);
  const again = await apply(file);

  const lines = [/\$\.sources has no active "Website"/, /\$\.fields\[key="city"\] is required on/];
  expect(dry.stderr.trim().split('\n')).toEqual(
    lines.map((line) => expect.stringMatching(new RegExp(`^Warning: ${line.source}`))),
  );
  expect(applied).toMatchObject({ status: 0, stderr: dry.stderr });
  expect(again.stderr).not.toContain('is required on create now');
});
