import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import { eraseLead } from '../../../../shared/store/maintenance/erase-lead.ts';
import { readAuditLog } from '../../../../shared/store/organizations/audit-log.ts';
import { runAdmin } from '../../../support/admin.ts';
import { givenLead } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { useOwnTable } from '../../../support/own-table.ts';
import { table } from '../../../support/table.ts';
import { itemsOf } from '../table/restored-tables.ts';
import { dyingAfter } from './dying-table.ts';

useOwnTable();

/** The audit log's entries of erasures, newest first. */
const erasuresLogged = async ({ id }: GivenOrganization) =>
  (await readAuditLog(table(), id, 100)).filter(({ erasedLeadId }) => erasedLeadId !== undefined);

test('an erasure is in the audit log from its beginning on, and says begun until a repeat completes it', async () => {
  const organization = await givenOrganization();
  const erased = await givenLead(organization);
  const { id } = erased;
  const what = `lead erase ${id}`;
  await runAdmin([
    'lead',
    'erase',
    '--organization',
    String(organization.id),
    '--lead',
    String(id),
    '--dry-run',
  ]);
  const afterDryRun = await erasuresLogged(organization);

  // The calls are two reads, the transaction, then what removes the person elsewhere.
  const dying = dyingAfter(4);
  await expect(eraseLead(dying.table, organization.id, id, { who: 'the first' })).rejects.toThrow(
    'The process died.',
  );
  await dying.settled();
  const interrupted = await erasuresLogged(organization);
  await eraseLead(table(), organization.id, id, { who: 'the second' });
  const completed = await erasuresLogged(organization);

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
  const isOfLead = ({ pk }: Record<string, unknown>): boolean =>
    /^(LEADS|PHONE|EMAIL)#/.test(String(pk));
  const imported = (await itemsOf(table())).filter(isOfLead);
  const dying = dyingAfter(4);
  await expect(eraseLead(dying.table, organization.id, id, { who: 'a test' })).rejects.toThrow();
  await dying.settled();
  for (const Item of imported)
    await table().client.send(new PutCommand({ TableName: table().name, Item }));

  await eraseLead(table(), organization.id, id, { who: 'a test' });

  const what = `lead erase ${id}`;
  expect(await erasuresLogged(organization)).toMatchObject([{ what }, { what }]);
});

test('an erasure that a backup has without its audit log entry is completed, and the entry is there then', async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization);
  const dying = dyingAfter(4);
  await expect(eraseLead(dying.table, organization.id, id, { who: 'a test' })).rejects.toThrow();
  await dying.settled();
  const [entry] = (await itemsOf(table())).filter(({ erasedLeadId }) => erasedLeadId === id);
  await table().client.send(
    new DeleteCommand({ TableName: table().name, Key: { pk: entry?.pk, sk: entry?.sk } }),
  );

  await eraseLead(table(), organization.id, id, { who: 'a test' });

  const what = `lead erase ${id}`;
  expect(await erasuresLogged(organization)).toMatchObject([{ what, erasedLeadId: id }]);
});
