import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { eraseLeads } from '../../../../shared/store/maintenance/erase-lead.ts';
import { readAuditLog } from '../../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { eraseLead, givenLead, storedLeads } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { givenTable, table } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { addNote, capture, captureLead, json, run, violationsIn } from '../commands.ts';
import { itemsOf } from '../table/restored-tables.ts';
import { dyingAfter } from './dying-table.ts';

useOwnTable();
const files = useFolder();

const erasedIn = async ({ id }: GivenOrganization): Promise<(number | undefined)[]> =>
  (await readAuditLog(table(), id, 100))
    .filter(({ endedAt, erasedLeadId }) => endedAt !== undefined && erasedLeadId !== undefined)
    .map(({ erasedLeadId }) => erasedLeadId)
    .reverse();

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
  expect(await erasedIn(organization)).toEqual([one.id, two.id]);
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

test('erasing many at once leaves what erasing them one by one leaves', async () => {
  const organization = await givenOrganization();
  const people = Array.from({ length: 6 }, () => person());
  const leadIds: number[] = [];
  for (const one of people) leadIds.push(await captureLead(organization, one));
  for (const [index, one] of people.entries()) {
    const next = people[(index + 1) % people.length];
    await capture(organization, {
      ...one,
      notes: `${next?.phone} is a friend, ${next?.email} too`,
    });
    await addNote(organization, leadIds[index] ?? 0, `Ask ${people[(index + 3) % 6]?.phone}`);
  }
  const copies = [await copyOfTable(), await copyOfTable()] as const;
  const erased = [leadIds[4], leadIds[0], leadIds[1]].map((id) => id ?? 0);

  await eraseLeads({ table: copies[0], organizationId: organization.id }, erased, {
    who: 'a test',
  });
  for (const id of erased) await eraseLead(copies[1], organization.id, id, { who: 'a test' });

  const [together, oneByOne] = await Promise.all(copies.map(withoutTimes));
  expect(together).toEqual(oneByOne);
  expect(JSON.stringify([...(together ?? [])])).toContain('[erased]');
  for (const { client } of copies) client.destroy();
});

async function copyOfTable(): Promise<Table> {
  const copy = await givenTable();
  for (const Item of await itemsOf(table()))
    await copy.client.send(new PutCommand({ TableName: copy.name, Item }));
  return copy;
}

/** By key, without what differs between two runs: the audit log, and when something was cleaned. */
const withoutTimes = async (copy: Table): Promise<ReadonlyMap<string, unknown>> =>
  new Map(
    (await itemsOf(copy))
      .filter(({ pk }) => !String(pk).startsWith('HISTORY#'))
      .map(({ cleanedAt, ...item }) => [
        `${item.pk} ${item.sk}`,
        { ...item, isCleaned: cleanedAt !== undefined },
      ]),
  );

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

test('--inactive-since completes the erasures that were interrupted', async () => {
  const organization = await givenOrganization();
  await importFrom(organization, [2019, 2020, 2021]);
  const own = { organizationId: organization.id };
  for (const calls of [4, 9, 20, 40, 60]) {
    const dying = dyingAfter(calls);
    await eraseLeads({ ...own, table: dying.table }, [1, 2, 3], { who: 'a test' }).catch(
      () => undefined,
    );
    await dying.settled();
  }

  await json(organization, 'lead erase', '--inactive-since', '2024-01-01', '--yes');

  expect(await violationsIn(organization)).toEqual([]);
  expect((await erasedIn(organization)).toSorted()).toEqual([1, 2, 3]);
});
