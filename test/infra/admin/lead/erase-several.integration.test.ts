import { expect, test } from 'vitest';
import { givenLead, storedLeads } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { addNote, doneTo, json, run, violationsIn } from '../commands.ts';
import { itemsOf } from '../table/restored-tables.ts';

useOwnTable();
const files = useFolder();

/** Imports leads that were created in these years. */
async function importFrom(organization: GivenOrganization, years: readonly number[]) {
  const rows = years.map((year, index) => {
    const { name, phone } = person();
    return `${name},${phone},student,${year}-05-0${index + 1}T10:00:00Z`;
  });
  const file = await files.write(
    'old.csv',
    ['name,phone,lead_type,created at', ...rows].join('\n'),
  );
  return json(organization, 'lead import', file);
}

/** Two leads whose phones are on the timeline of a third: both in one note, the second in another. */
async function givenNamedLeads(organization: GivenOrganization) {
  const [one, two, other] = [
    await givenLead(organization),
    await givenLead(organization),
    await givenLead(organization),
  ];
  await addNote(organization, other.id, `${one.phone} and ${two.phone}`);
  await addNote(organization, other.id, `only ${two.phone}`);
  return [one, two] as const;
}

test('several leads are erased in one pass; one that does not exist is named', async () => {
  const organization = await givenOrganization();
  const [one, two] = await givenNamedLeads(organization);
  const ids = `${one.id},2000000000,${two.id}`;

  const planned = await run(organization, 'lead erase', '--lead', ids, '--dry-run', '--json');
  const erased = await run(organization, 'lead erase', '--lead', ids, '--yes', '--json');

  for (const reply of [planned, erased])
    expect(reply).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/has no lead 2000000000\./),
      json: {
        items: [
          { leadId: one.id, otherEntries: 1 },
          { leadId: two.id, otherEntries: 2 },
        ],
      },
    });
  expect(JSON.stringify(await itemsOf(table()))).not.toMatch(
    new RegExp([one, two].map(({ phone }) => phone.slice(1)).join('|')),
  );
  expect((await doneTo(organization)).slice(0, 2)).toEqual([
    `lead erase ${two.id}`,
    `lead erase ${one.id}`,
  ]);
  expect(await violationsIn(organization)).toEqual([]);
});

test('more changes than --max-items, counted once for all leads, or no confirmation, change nothing', async () => {
  const organization = await givenOrganization();
  const [one, two] = await givenNamedLeads(organization);
  const before = await storedLeads(organization);
  const erase = (...more: string[]) =>
    run(organization, 'lead erase', '--lead', `${one.id},${two.id}`, ...more);

  const refused = await erase('--yes', '--max-items', '1');
  const unconfirmed = await erase();

  expect([refused.status, unconfirmed.status]).toEqual([1, 1]);
  expect(refused.stderr).toMatch(
    /^Erasing 2 leads would change 2 timeline items of 1 other lead, more than 1 item: .*--max-items/,
  );
  expect(unconfirmed.stderr).toMatch(
    /^Erasing changes 2 .*\.\nErasing removes 2 leads of organization \d+ \(1, 2\) for good\. Add --yes/,
  );
  expect(await storedLeads(organization)).toEqual(before);
  expect((await erase('--yes', '--max-items', '2')).status).toBe(0);
});

test('--inactive-since erases the leads without a timeline item since then, at most --max of them', async () => {
  const organization = await givenOrganization();
  await importFrom(organization, [2018, 2019, 2020, 2021]);
  await run(organization, 'lead archive', '--lead', 3);
  await addNote(organization, 4, 'Called today');
  const erase = (since: string, ...more: readonly string[]) =>
    run(organization, 'lead erase', '--inactive-since', since, '--yes', ...more, '--json');

  const planned = await erase('2024-01-01', '--dry-run');
  const onlyArchived = await erase('2100-01-01', '--archived', '--dry-run');
  const refused = await erase('2024-01-01', '--max', '1');
  const erased = await erase('2024-01-01', '--max', '2');

  expect(planned.json.items).toMatchObject([{ leadId: 1, dryRun: true }, { leadId: 2 }]);
  expect(onlyArchived.json.items).toMatchObject([{ leadId: 3 }]);
  expect(refused).toMatchObject({ status: 1, stdout: '' });
  expect(refused.stderr).toMatch(/^2 leads .* more than 1: .*--max .* Nothing was changed\.$/m);
  expect(erased.json.items).toMatchObject([{ leadId: 1 }, { leadId: 2 }]);
  expect((await erase('2024-01-01')).json).toEqual({ items: [] });
});
