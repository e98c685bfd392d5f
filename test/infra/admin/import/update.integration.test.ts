import { expect, test } from 'vitest';
import { changeSettings, givenLead, leadsOf, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { useFolder } from '../../given-folder.ts';
import { doneTo, json, run, violationsIn } from '../commands.ts';
import { importJson, refusedIn } from './given-files.ts';

useOwnTable();
const folder = useFolder();

const csv = (...rows: (string | undefined)[][]) =>
  folder.write('leads.csv', rows.map((row) => row.join(',')).join('\n'));

const updateJson = (organization: GivenOrganization, file: string, ...more: string[]) =>
  importJson(organization, file, '--update', ...more);

test('an update changes the columns of a file in the leads that have its phones or emails', async () => {
  const organization = await givenOrganization();
  const [byPhone, byEmail, same, nobody] = [person(), person(), person(), person()];
  const headings = ['name', 'phone', 'email', 'city', 'stage', 'note'];
  const row = ({ name, phone, email }: typeof nobody, ...more: string[]) => [
    name,
    phone,
    email,
    ...more,
  ];
  const stage = organization.settings.pipelines[0]?.stages[1];
  await importJson(
    organization,
    await csv(headings, ...[byPhone, byEmail, same].map((one) => row(one, 'Pune', '', 'First'))),
  );
  const corrected = await csv(
    headings,
    row({ ...byPhone, name: '' }, 'Goa', stage?.name ?? '', 'Second'),
    row({ ...byEmail, phone: nobody.phone }, '', '', ''),
    row(same, 'Pune', '', 'First'),
    row({ ...nobody, phone: person().phone }, 'Goa', '', ''),
  );

  const planned = await updateJson(organization, corrected, '--dry-run');
  const text = await run(organization, 'lead import', corrected, '--update', '--dry-run');
  const without = await run(organization, 'lead import', corrected, '--dry-run');
  const updated = await updateJson(organization, corrected);
  const again = await updateJson(organization, corrected);

  const counts = { rows: 4, imported: 1, updated: 2, alreadyThere: 1, refused: 0 };
  expect(planned).toMatchObject(counts);
  expect(text.stdout.split('\n').slice(5)).toEqual([
    'Lead 1: city Pune → Goa, stage 11 (New) → 12 (Enrolled) would be changed, note would be added.',
    `Lead 2: phone ${byEmail.phone} → ${nobody.phone} would be changed.`,
    'Rows that would become new leads: 5.',
    '',
  ]);
  expect(without.stdout).toMatch(/\nTo change those leads, add --update\.\n$/);
  expect(updated).toMatchObject(counts);
  expect(again).toMatchObject({ imported: 0, updated: 0, alreadyThere: 4 });
  const [first, second] = await leadsOf(organization);
  expect(first).toMatchObject({ stageId: stage?.id, fields: { ...byPhone, city: 'Goa' } });
  expect(second?.fields).toMatchObject({ ...byEmail, phone: nobody.phone, city: 'Pune' });
  expect((await timelineOf(organization, first?.id ?? 0)).slice(2)).toMatchObject([
    { type: 'lead_updated', via: 'admin', changes: [{ field: 'city' }, { field: 'stage' }] },
    { type: 'note_added', via: 'admin', text: 'Second' },
  ]);
  expect((await doneTo(organization)).slice(0, 2)).toEqual([
    'lead import, 0 leads, 0 updated',
    'lead import, 1 lead, 2 updated',
  ]);
  expect(await violationsIn(organization)).toEqual([]);
});

test('an update refuses a row of two leads, a second row of a lead, and what an update refuses', async () => {
  const organization = await givenOrganization();
  const [one, two] = [person(), person()];
  const headings = ['phone', 'email', 'budget'];
  const names = [one, two].map(({ name, phone, email }) => [name, phone, email]);
  await importJson(organization, await csv(['name', 'phone', 'email'], ...names));
  const [first, second] = await leadsOf(organization);

  const answer = await updateJson(
    organization,
    await csv(
      headings,
      [one.phone, two.email, '1'],
      [one.phone, '', '5'],
      [person().phone, one.email, '6'],
      [two.phone, '', 'much'],
      [person().phone, person().email, '1'],
    ),
  );

  expect(answer).toMatchObject({ updated: 1, imported: 0, refused: 4 });
  expect((await refusedIn(answer.report)).map((row) => row['refused because'])).toEqual([
    `The phone belongs to lead ${first?.id}, and the email to lead ${second?.id}: correct one of them.`,
    expect.stringContaining('email belongs to row 3'),
    expect.stringContaining('budget must be a number'),
    'name is required.',
  ]);
});

test('an exported and edited file updates its leads, even with an owner who is inactive now', async () => {
  const organization = await givenOrganization();
  const { name, phone } = person();
  const [owner, ...others] = organization.settings.users;
  await importJson(organization, await csv(['name', 'phone', 'owner'], [name, phone, owner?.name]));
  const exported = folder.newPath('exported.csv');
  await json(organization, 'lead export', '--out', exported);
  const users = [{ ...owner, active: false }, ...others];
  await changeSettings(organization, { users });
  const edited = (await folder.read(exported)).replace(name, 'Asha');

  expect(await updateJson(organization, await folder.write('edited.csv', edited))).toMatchObject({
    updated: 1,
    refused: 0,
  });
  expect(await leadsOf(organization)).toMatchObject([
    { fields: { name: 'Asha', phone, assigned_to: owner?.id } },
  ]);
});

test('an update refuses a row that would archive its lead or change its times, and says what to do', async () => {
  const organization = await givenOrganization();
  const { name, phone } = person();
  await importJson(organization, await csv(['name', 'phone'], [name, phone]));
  const before = await leadsOf(organization);
  const headings = ['phone', 'archived', 'Created'];
  const more = ['--map', 'Created=created at'];

  const { report } = await updateJson(
    organization,
    await csv(headings, [phone, 'yes', '2020-01-01']),
    ...more,
  );
  const emptied = await updateJson(organization, await csv(headings, [phone, '', '']), ...more);

  expect((await refusedIn(report)).map((row) => row['refused because'])).toEqual([
    'archived cannot be changed by an update: use lead archive or lead restore, and empty the cell. ' +
      'created at (column "Created") cannot be changed by an update: empty the cell, or add --ignore for the column.',
  ]);
  expect(emptied).toMatchObject({ alreadyThere: 1, refused: 0 });
  expect(await leadsOf(organization)).toEqual(before);
});

test('in a row of an export, the options read what a spreadsheet has changed, and nothing else', async () => {
  const organization = await givenOrganization();
  const fields = { budget: 1.125, start_on: '2026-03-14', city: 'Pune', course: 'mba' };
  await givenLead(organization, { fields });
  const exported = folder.newPath('plain.csv');
  await json(organization, 'lead export', '--out', exported);
  const text = await folder.read(exported);
  const german = text.replace('2026-03-14', '15.03.2026').replace('Pune', 'Goa');
  const file = await folder.write('german.csv', german.replace(/,mba,/, ',Entwurf,'));
  const options = [
    '--dates',
    'dd.mm.yyyy',
    '--decimal',
    'comma',
    '--value',
    'course:Entwurf=design',
  ];
  const unused = ['--value', 'city:Goa=Delhi'];

  const refused = await run(organization, 'lead import', file, '--update');
  const { updated } = await updateJson(organization, file, ...options, ...unused);

  expect(refused.stdout).toContain(' Add --dates dd.mm.yyyy.');
  expect(refused.stdout).toContain(
    " Add --value 'course:Entwurf=VALUE', where VALUE is what it means.",
  );
  expect(updated).toBe(1);
  expect(await leadsOf(organization)).toMatchObject([
    { fields: { budget: 1.125, start_on: '2026-03-15', city: 'Goa', course: 'design' } },
  ]);
});

test('a lead’s phone is found and kept, even if today’s rules would refuse or read it differently', async () => {
  const organization = await givenOrganization();
  const [short, doubled] = ['+91982201234', '+91919822012345'];
  const exported = await csv(
    ['lead id', 'lead service export', 'name', 'phone', 'guardian_phone'],
    ['1', 'organization 1', 'Short', short, doubled],
    ['2', 'organization 1', 'Doubled', doubled, short],
  );
  const imported = await importJson(organization, exported);
  const again = await updateJson(organization, exported);
  const written = ['+91 98220-1234', '+91 (91) 98220 12345'];
  const updated = await updateJson(
    organization,
    await csv(['phone', 'city'], ...written.map((phone) => [phone, 'Goa'])),
  );
  const edited = await json(
    organization,
    'lead edit',
    '--lead',
    '1',
    '--set',
    `phone=${short}`,
    '--set',
    'city=Pune',
  );
  const { body } = await organization.update(2, { fields: { phone: doubled, city: 'Pune' } });

  expect(imported).toMatchObject({ imported: 2, refused: 0 });
  expect(again).toMatchObject({ updated: 0, alreadyThere: 2, refused: 0 });
  expect(updated).toMatchObject({ imported: 0, updated: 2, refused: 0 });
  expect(edited.items).toEqual([{ leadId: 1, changed: ['city'] }]);
  expect(body.lead).toMatchObject({ phone: doubled, fields: { city: 'Pune' } });
  expect((await leadsOf(organization)).map(({ fields }) => fields)).toMatchObject([
    { phone: short, guardian_phone: doubled, city: 'Pune' },
    { phone: doubled, guardian_phone: short, city: 'Pune' },
  ]);
  for (const [at, phone] of written.entries())
    expect(await json(organization, 'lead find', '--phone', phone)).toMatchObject({
      leadId: at + 1,
    });
  await updateJson(organization, await csv(['phone', 'name'], ['98220 12345', 'Another']));
  const asRead = ['lead find', '--phone', '91 91 98220 12345'] as const;
  expect(await json(organization, ...asRead)).toMatchObject({ name: 'Another' });
});
