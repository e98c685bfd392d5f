import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { readAuditLog } from '../../../../shared/store/organizations/audit-log.ts';
import { eraseLead, givenLead, timelineOf } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { person } from '../../../support/people.ts';
import { table } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { json, violationsIn } from '../commands.ts';
import { itemsOf } from '../table/restored-tables.ts';
import { dyingAfter } from './dying-table.ts';

useOwnTable();
const files = useFolder();

const who = { who: 'a test' };

/** Begins an erasure in a process that dies as soon as the lead is gone. */
async function beginErasure({ id }: GivenOrganization, leadId: number, by = who): Promise<void> {
  const dying = dyingAfter(4); // three reads, and the transaction that removes the lead
  await expect(eraseLead(dying.table, id, leadId, by)).rejects.toThrow('The process died.');
  await dying.settled();
}

/** The audit log's entries of erasures, newest first. */
const erasuresLogged = async ({ id }: GivenOrganization) =>
  (await readAuditLog(table(), id, { limit: 100 })).filter(
    ({ erasedLeadId }) => erasedLeadId !== undefined,
  );

test('an erasure is in the audit log from its start, and says begun until a repeat completes it', async () => {
  const organization = await givenOrganization();
  const erased = await givenLead(organization);
  const { id } = erased;
  await json(organization, 'lead erase', '--lead', id, '--dry-run');
  const afterDryRun = await erasuresLogged(organization);

  await beginErasure(organization, id, { who: 'the first' });
  const interrupted = await erasuresLogged(organization);
  await eraseLead(table(), organization.id, id, { who: 'the second' });
  const completed = await erasuresLogged(organization);

  const what = `lead erase ${id}`;
  expect(afterDryRun).toEqual([]);
  const [begun] = interrupted;
  expect(interrupted).toEqual([
    { at: expect.any(String), who: 'the first', what: `${what} begun`, erasedLeadId: id },
  ]);
  expect(completed).toEqual([{ ...begun, what, endedAt: expect.any(String) }]);
  expect(completed[0]?.endedAt ?? '').toSatisfy((endedAt: string) => endedAt >= (begun?.at ?? 'z'));
  expect(JSON.stringify(await itemsOf(table()))).not.toContain(erased.phone);
});

test('an unfinished erasure whose lead was imported again under its ID ends with both entries complete', async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization);
  const ofLead = (await itemsOf(table())).filter(({ pk }) =>
    /^(LEADS|PHONE|EMAIL)#/.test(String(pk)),
  );
  await beginErasure(organization, id);
  for (const Item of ofLead)
    await table().client.send(new PutCommand({ TableName: table().name, Item }));

  await eraseLead(table(), organization.id, id, who);

  const what = `lead erase ${id}`;
  expect(await erasuresLogged(organization)).toMatchObject([{ what }, { what }]);
});

test('an erasure that a backup has without its audit entry is completed, and adds the entry', async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization);
  await beginErasure(organization, id);
  const [entry] = (await itemsOf(table())).filter(({ erasedLeadId }) => erasedLeadId === id);
  const Key = { pk: entry?.pk, sk: entry?.sk };
  await table().client.send(new DeleteCommand({ TableName: table().name, Key }));

  await eraseLead(table(), organization.id, id, who);

  expect(await erasuresLogged(organization)).toMatchObject([
    { what: `lead erase ${id}`, erasedLeadId: id },
  ]);
});

test('an import that keeps the ID of a lead under erasure is refused until the erasure is complete', async () => {
  const organization = await givenOrganization();
  const { id: leadId } = await givenLead(organization);
  const { name, phone } = person();
  const file = await files.write(
    'leads.csv',
    `lead id,lead service export,name,phone,note\n${leadId},organization ${organization.id},${name},${phone},Kept\n`,
  );
  const importFile = () => json(organization, 'lead import', '--keep-ids', file);
  await beginErasure(organization, leadId);

  const refused = await importFile();
  const reasons = await files.read(refused.report);
  await json(organization, 'lead erase', '--lead', leadId, '--yes');
  const imported = await importFile();

  expect(reasons).toContain('lead id belongs to a lead under erasure: no two leads may share it.');
  expect([refused.refused, imported.imported]).toEqual([1, 1]);
  expect((await timelineOf(organization, leadId)).map(({ type }) => type)).toEqual([
    'lead_created',
    'note_added',
  ]);
  expect(await violationsIn(organization)).toEqual([]);
});

test('--inactive-since completes the erasures that were interrupted', async () => {
  const organization = await givenOrganization();
  const [one, two] = [await givenLead(organization), await givenLead(organization)];
  for (const { id } of [one, two]) await beginErasure(organization, id);

  await json(organization, 'lead erase', '--inactive-since', '2100-01-01', '--yes');

  expect(await violationsIn(organization)).toEqual([]);
  expect(await erasuresLogged(organization)).toMatchObject(
    [two, one].map(({ id }) => ({ what: `lead erase ${id}` })),
  );
});
