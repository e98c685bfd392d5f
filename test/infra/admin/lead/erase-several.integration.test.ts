import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { eraseLeads } from '../../../../shared/store/maintenance/erase-lead.ts';
import { readAuditLog } from '../../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { eraseLead, givenLead, storedLead } from '../../../support/leads.ts';
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

  const outcomes = { [one.id]: 1, [two.id]: 2 };
  for (const { status, stdout, stderr } of [planned, erased]) {
    expect(status).toBe(1);
    expect(stderr).toMatch(/has no lead 2000000000\./);
    const { items } = JSON.parse(stdout);
    expect(
      Object.fromEntries(
        items.map((item: { leadId: number; otherEntries: number }) => [
          item.leadId,
          item.otherEntries,
        ]),
      ),
    ).toEqual(outcomes);
  }
  expect(JSON.stringify(await itemsOf(table()))).not.toMatch(
    new RegExp([one, two].map(({ phone }) => phone.slice(1)).join('|')),
  );
  expect(await erasedIn(organization)).toEqual([one.id, two.id]);
  expect(await violationsIn(organization)).toEqual([]);
});

test('--max-items counts the items of all leads together, each once', async () => {
  const organization = await givenOrganization();
  const [one, two] = await givenNamedLeads(organization);
  const erase = (max: string) =>
    run(organization, 'lead erase', '--lead', `${one.id},${two.id}`, '--yes', '--max-items', max);

  const refused = await erase('1');

  expect(refused.status).toBe(1);
  expect(refused.stderr).toMatch(/^Erasing 2 leads would change 2 timeline items of 1 other lead,/);
  expect(await storedLead(organization, one.id)).toBeDefined();
  expect((await erase('2')).status).toBe(0);
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

test('--inactive-since erases the leads without a timeline item since then, and no other', async () => {
  const organization = await givenOrganization();
  await importFrom(organization, [2019, 2020, 2021]);
  await run(organization, 'lead archive', '--lead', 2);
  await addNote(organization, 3, 'Called today');
  const erase = (...more: readonly string[]) =>
    json(organization, 'lead erase', '--inactive-since', '2024-01-01', '--yes', ...more);

  const planned = await erase('--dry-run');
  const onlyArchived = await json(
    organization,
    'lead erase',
    '--inactive-since',
    '2100-01-01',
    '--archived',
    '--dry-run',
  );
  const erased = await erase();

  expect(planned.items).toMatchObject([{ leadId: 1, dryRun: true }]);
  expect(onlyArchived.items).toMatchObject([{ leadId: 2 }]);
  expect(erased.items).toMatchObject([{ leadId: 1, backupsUntil: expect.any(String) }]);
  expect(await erase()).toEqual({ items: [] });
});

test('--inactive-since refuses more leads than --max, with their number', async () => {
  const organization = await givenOrganization();
  await importFrom(organization, [2019, 2020, 2021]);
  const erase = (max: string) =>
    run(organization, 'lead erase', '--inactive-since', '2024-01-01', '--yes', '--max', max);

  const refused = await erase('2');

  expect(refused).toMatchObject({
    status: 1,
    stdout: '',
    stderr: expect.stringMatching(/^3 leads .* more than 2: .*--max .* Nothing was changed\.$/m),
  });
  expect((await erase('3')).status).toBe(0);
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
