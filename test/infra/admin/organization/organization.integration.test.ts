import { expect, test } from 'vitest';
import { runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { run } from '../commands.ts';
import { apply, useEditedSettings } from './edited-settings.ts';

const edited = useEditedSettings();

useOwnTable();

/** An organization with two leads that use a source, an option and a user each. */
async function givenUsed(): Promise<GivenOrganization> {
  const organization = await givenOrganization();
  for (const course of ['mba', 'mba']) {
    const body = { fields: { ...person(), course, source: 3, mentor: 8, assigned_to: 7 } };
    expect((await call('create-lead', { apiKey: organization.writer, body })).status).toBe(201);
  }
  return organization;
}
const shown = async ({ id }: GivenOrganization) =>
  (await runAdmin(['organization', 'show', String(id), '--json'])).json;

test('a dry run says what would change, by JSON path, and changes nothing', async () => {
  const organization = await givenOrganization();
  const before = await shown(organization);
  const file = await edited(organization, (draft) => {
    draft.name = 'Southwind';
    draft.users[1]!.active = false;
    draft.users[2]!.active = true;
    draft.sources = [draft.sources[1]!, draft.sources[0]!, { id: 5, name: 'Radio', active: true }];
    draft.pipelines[0]!.stages[1]!.name = 'Joined';
    draft.fields.find(({ key }) => key === 'city')!.requiredOnEdit = true;
  });

  const dry = await apply(file, '--dry-run', '--json');

  expect(dry).toMatchObject({ status: 0, stderr: '' });
  expect(dry.json).toEqual({
    organization: { id: organization.id },
    outcome: 'updated',
    refusals: [],
    changes: expect.arrayContaining([
      { path: '$.name', change: 'changed', from: 'Northwind Academy', to: 'Southwind' },
      { path: '$.users[id=8]', change: 'deactivated' },
      { path: '$.users[id=9]', change: 'activated' },
      {
        path: '$.sources[id=4]',
        change: 'removed',
        from: { id: 4, name: 'Old fair', active: false },
      },
      { path: '$.sources[id=5]', change: 'added', to: { id: 5, name: 'Radio', active: true } },
      {
        path: '$.sources',
        change: 'reordered',
        from: ['[id=1]', '[id=3]'],
        to: ['[id=3]', '[id=1]'],
      },
      {
        path: '$.pipelines[id=1].stages[id=12].name',
        change: 'changed',
        from: 'Enrolled',
        to: 'Joined',
      },
      { path: '$.fields[key="city"].requiredOnEdit', change: 'changed', from: false, to: true },
    ]),
  });
  expect(dry.json.changes).toHaveLength(8);
  expect(await shown(organization)).toEqual(before);
});

test('a dry run says what would be refused, by name and count, with status 1, as the apply then is', async () => {
  const organization = await givenUsed();
  const before = await shown(organization);
  const file = await edited(organization, (draft) => {
    draft.sources = draft.sources.filter(({ id }) => id !== 3);
    draft.users = draft.users.filter(({ id }) => id !== 7 && id !== 8);
    const course = draft.fields.find(({ key }) => key === 'course')!;
    course.options = course.options.filter(({ value }) => value !== 'mba');
    draft.pipelines[0]!.stages = [{ ...draft.pipelines[0]!.stages[1]!, isDefault: true }];
  });

  const dry = await apply(file, '--dry-run', '--json');
  const forPeople = await apply(file, '--dry-run');
  const applied = await apply(file);

  const refusals = [
    [
      '$.users[id=7]',
      /^\(Asha Rao\) is still used by 2 leads and as the creator of API keys .*: deactivate it instead/,
    ],
    ['$.users[id=8]', /^\(Ravi Iyer\) is still used by 2 leads: deactivate it instead/],
    ['$.sources[id=3]', /^\(Facebook Ads\) is still used by 2 leads: deactivate it instead/],
    ['$.pipelines[id=1].stages[id=11]', /^\(New\) is still used by 2 leads: deactivate it instead/],
    [
      '$.fields[key="course"].options[value="mba"]',
      /^\(MBA\) is still used by 2 leads: keep it, or change those leads first/,
    ],
  ].map(([path, message]) => ({ path, message: expect.stringMatching(message as RegExp) }));
  expect(dry).toMatchObject({ status: 1, stderr: '' });
  expect(dry.json.refusals).toEqual(refusals);
  expect(forPeople).toMatchObject({ status: 1, stderr: '' });
  expect(forPeople.stdout).toMatch(
    /\nThe file would be refused, and nothing would change:\n {2}\$\.users\[id=7\] \(Asha Rao\) is still used by 2 leads/,
  );
  expect(applied).toMatchObject({ status: 1, stdout: '' });
  expect(applied.stderr.trim().split('\n')).toEqual([
    'The file removes items that are still used; nothing was changed.',
    ...dry.json.refusals.map(
      ({ path, message }: { path: string; message: string }) => `  ${path} ${message}`,
    ),
  ]);
  expect(await shown(organization)).toEqual(before);
});

test('what leads use is deactivated by an apply, and leads keep it', async () => {
  const organization = await givenUsed();
  const file = await edited(organization, (draft) => {
    draft.sources[1]!.active = false;
    draft.users[0]!.active = false;
    draft.fields.find(({ key }) => key === 'course')!.active = false;
  });

  const applied = await apply(file);
  const { body } = await call('list-leads', {
    apiKey: organization.reader,
    query: { source_id: 3 },
  });

  expect(applied).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/is updated, version 2/),
  });
  expect(body.items).toHaveLength(2);
  expect(body.items[0]).toMatchObject({
    source: { id: 3, name: 'Facebook Ads' },
    owner: { id: 7, name: 'Asha Rao' },
  });
  expect((await run(organization, 'check', '--json')).json.violations).toEqual([]);
});

test('a dry run of an unknown organization would create it, and of equal settings do nothing', async () => {
  const organization = await givenOrganization();
  const same = await edited(organization, () => undefined);
  const other = await edited(organization, (draft) => {
    draft.id = organization.id === 1 ? 2 : organization.id - 1;
  });

  const unchanged = await apply(same, '--dry-run');
  const created = await apply(other, '--dry-run', '--json');

  expect(unchanged).toMatchObject({
    status: 0,
    stdout: expect.stringMatching(/already has these settings: nothing would change\.\n$/),
  });
  expect(created.json).toMatchObject({
    outcome: 'created',
    refusals: [],
    changes: [{ path: '$', change: 'added' }],
  });
  expect((await runAdmin(['organization', 'list', '--json'])).json.items).not.toContainEqual(
    expect.objectContaining(created.json.organization),
  );
});

test('organizations are listed by id with the name they have now', async () => {
  const organization = await givenOrganization();
  const file = await edited(organization, (draft) => {
    draft.name = 'Renamed';
  });
  await apply(file);

  const { json } = await runAdmin(['organization', 'list', '--json']);
  const forPeople = await runAdmin(['organization', 'list']);

  expect(json.items).toContainEqual({ id: organization.id, name: 'Renamed' });
  const ids = json.items.map(({ id }: { id: number }) => id);
  expect(ids).toEqual([...ids].sort((a, b) => a - b));
  expect(forPeople.stdout).toMatch(new RegExp(`^ID +NAME\\n[^]*${organization.id} +Renamed\\n`));
});
