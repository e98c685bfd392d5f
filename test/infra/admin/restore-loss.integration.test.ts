import { setTimeout as pause } from 'node:timers/promises';
import { CreateTableCommand, DeleteTableCommand, UpdateTableCommand } from '@aws-sdk/client-dynamodb';
import { DeleteCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import type { Lead } from '../../../shared/leads/lead.ts';
import { checkTable } from '../../../shared/store/check/check-table.ts';
import { createLead } from '../../../shared/store/leads/create-lead.ts';
import { eraseLead } from '../../../shared/store/maintenance/erase-lead.ts';
import { leadIdMargin } from '../../../shared/store/maintenance/finish-restore.ts';
import { createApiKey, revokeApiKey } from '../../../shared/store/organizations/api-keys.ts';
import { addAuditEntry, completeAuditEntry } from '../../../shared/store/organizations/audit-log.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { leadPrimaryKey, timelinePartitionKey, usagePrimaryKey } from '../../../shared/store/table/primary-keys.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { givenTable, table } from '../../support/table.ts';
import { finish, itemsOf, restored } from './restored-tables.ts';

const who = 'a test';

/** Gives out ids as admission does. @returns the first of them */
async function takeLeadIds({ client, name }: Table, organizationId: number, count: number): Promise<number> {
  const { Attributes } = await client.send(
    new UpdateCommand({
      TableName: name,
      Key: usagePrimaryKey(organizationId),
      UpdateExpression: 'ADD lastLeadId :count',
      ExpressionAttributeValues: { ':count': count },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return Number(Attributes?.lastLeadId) - count + 1;
}

async function givenLeads(on: Table, { id: organizationId }: GivenOrganization, count: number): Promise<Lead[]> {
  const first = await takeLeadIds(on, organizationId, count);
  const leads = Array.from({ length: count }, (_, at): Lead => {
    const now = new Date().toISOString();
    const fields = { ...person(), lead_type: 'student' };
    return { id: first + at, organizationId, version: 1, fields, stageId: 11, pipelineId: 1, createdAt: now, updatedAt: now };
  });
  for (const lead of leads)
    await createLead(on, () => ({
      lead,
      opening: { type: 'lead_created', at: lead.createdAt, actorId: 7, via: 'api', keyId: 'k' },
    }));
  return leads;
}

/** A table in use with leads, and a backup of it. */
async function givenBackup(count: number) {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const leads = await givenLeads(old, organization, count);
  const backup = await itemsOf(old);
  await pause(1100); // the tables' times of creation are whole seconds
  return { old, organization, leads, backup, leadIds: leads.map(({ id }) => id) };
}

const deleteItem = (on: Table, Key: { pk: string; sk: string }) =>
  on.client.send(new DeleteCommand({ TableName: on.name, Key: { ...Key } }));
const leadIdsIn = async (on: Table): Promise<number[]> =>
  (await itemsOf(on)).filter(({ pk }) => String(pk).startsWith('LEADS#')).map(({ sk }) => Number(sk));

describe('a lead that is gone from the old table', () => {
  test('comes back when it was deleted by accident, and is listed', async () => {
    const { old, organization, backup, leadIds } = await givenBackup(8);
    for (const leadId of leadIds.slice(0, 6)) await deleteItem(old, leadPrimaryKey(organization.id, leadId));
    const on = await restored(backup);

    const { status, document } = await finish(on, '--from', old.name);

    expect([status, document.leadsErased]).toEqual([0, 0]);
    expect(document.leadsMissingInOld.map(({ leadId }: { leadId: number }) => leadId).sort()).toEqual(leadIds.slice(0, 6));
    expect((await leadIdsIn(on)).sort()).toEqual(leadIds);
    expect((await checkTable(on)).violations).toEqual([]);
  });

  test('is erased when the history says so, as an attribute or, by an earlier version, as text', async () => {
    const { old, organization, backup, leadIds } = await givenBackup(4);
    const [erased = 0, earlier = 0, lost = 0, kept = 0] = leadIds;
    await eraseLead(old, organization.id, erased, { who });
    await deleteItem(old, leadPrimaryKey(organization.id, earlier));
    await addAuditEntry(old, organization.id, { who, what: `lead erase ${earlier}` });
    await deleteItem(old, leadPrimaryKey(organization.id, lost));
    const on = await restored(backup);

    const { document } = await finish(on, '--from', old.name);

    expect(document).toMatchObject({ leadsErased: 2, leadsMissingInOld: [{ organizationId: organization.id, leadId: lost }] });
    expect((await leadIdsIn(on)).sort()).toEqual([lost, kept]);
  });

  test('is still known as erased to a restore of the restored table', async () => {
    const { old, organization, backup, leadIds } = await givenBackup(2);
    const [erased = 0, kept = 0] = leadIds;
    await eraseLead(old, organization.id, erased, { who });
    const first = await restored(backup);
    await finish(first, '--from', old.name);
    await pause(1100);
    const second = await restored(backup);

    const { document } = await finish(second, '--from', first.name);

    expect(document).toMatchObject({ leadsErased: 1, leadsMissingInOld: [] });
    expect(await leadIdsIn(second)).toEqual([kept]);
  });

  test('must be confirmed by number when it is one of many', async () => {
    const { old, organization, backup, leadIds } = await givenBackup(11);
    for (const leadId of leadIds) {
      await deleteItem(old, leadPrimaryKey(organization.id, leadId));
      await addAuditEntry(old, organization.id, { who, what: `lead erase ${leadId}` });
    }
    const on = await restored(backup);
    const before = await itemsOf(on);

    const unasked = await finish(on, '--from', old.name);

    expect(unasked).toMatchObject({ status: 1, stderr: expect.stringMatching(/11 leads .* were erased since[\s\S]*Add --yes/) });
    expect(await itemsOf(on)).toEqual(before);
    expect((await finish(on, '--from', old.name, '--yes')).document.leadsErased).toBe(11);
  });
});

describe('a table that is not what the restored one was made from is refused, and nothing changes', () => {
  type Backup = Awaited<ReturnType<typeof givenBackup>>;
  const copyWithout = async ({ backup }: Backup, isLeftOut: (item: Record<string, unknown>) => boolean): Promise<Table> =>
    restored(backup.filter((item) => !isLeftOut(item)));

  test.each<[string, (given: Backup) => Promise<Table>, RegExp]>([
    [
      'it has no organization in common',
      async () => {
        const other = await givenTable();
        await givenOrganization({}, other);
        return other;
      },
      /have no organization in common/,
    ],
    [
      'its organization has other API keys',
      (given) => copyWithout(given, ({ sk }) => String(sk).startsWith('KEY#')),
      /lacks every API key/,
    ],
    [
      'its history lacks an entry of the backup',
      (given) => copyWithout(given, ({ what }) => what === 'of long ago'),
      /lacks the entry "of long ago"/,
    ],
    [
      'it has another lead under the same id',
      async (given) => {
        const other = await restored(given.backup);
        const [lead] = given.leads;
        const Item = { ...lead, ...leadPrimaryKey(given.organization.id, lead?.id ?? 0), createdAt: '2020-01-01T00:00:00.000Z' };
        await other.client.send(new PutCommand({ TableName: other.name, Item }));
        return other;
      },
      /is one lead in table .* and another in/,
    ],
    [
      'its primary key is another',
      async () => {
        const other = { ...table(), name: `other-${Date.now()}` };
        await other.client.send(
          new CreateTableCommand({
            TableName: other.name,
            BillingMode: 'PAY_PER_REQUEST',
            AttributeDefinitions: [{ AttributeName: 'id', AttributeType: 'S' }],
            KeySchema: [{ AttributeName: 'id', KeyType: 'HASH' }],
          }),
        );
        return other;
      },
      /has other keys than/,
    ],
  ])('%s', async (_, otherTable, sentence) => {
    const given = await givenBackup(2);
    const long = new Date(Date.now() - 86_400_000);
    await addAuditEntry(given.old, given.organization.id, { who, what: 'of long ago' }, long);
    const withEntry = { ...given, backup: await itemsOf(given.old) };
    const other = await otherTable(withEntry);
    await pause(1100);
    const on = await restored(withEntry.backup);
    const before = await itemsOf(on);

    const { status, stderr } = await finish(on, '--from', other.name);

    expect([status, stderr]).toEqual([1, expect.stringMatching(sentence)]);
    expect(await itemsOf(on)).toEqual(before);
  });
});

test('an export that was under way at the moment of the backup, and completed since, does not make the old table another', async () => {
  const { old, organization } = await givenBackup(1);
  const long = new Date(Date.now() - 86_400_000);
  const entry = await addAuditEntry(old, organization.id, { who, what: 'lead export begun' }, long);
  const backup = await itemsOf(old);
  await completeAuditEntry(old, entry, 'lead export, 1 lead');
  await pause(1100);
  const on = await restored(backup);

  const { status, stderr } = await finish(on, '--from', old.name);

  expect([status, stderr]).toEqual([0, '']);
});

test('a timeline item is taken over from the old table only for what an erasure took from it there', async () => {
  const { old, organization, leads } = await givenBackup(2);
  const [erased, other] = leads;
  const at = '2026-01-01T00:00:00.000Z';
  const write = (name: string, text: string) => {
    const key = { pk: timelinePartitionKey(organization.id, other?.id ?? 0), sk: `${at}#${name}` };
    return old.client.send(
      new PutCommand({ TableName: old.name, Item: { ...key, type: 'note_added', at, actorId: 7, via: 'api', keyId: 'k', text } }),
    );
  };
  await write('0a', `Call ${erased?.fields.phone} at nine`);
  await write('0b', 'Call tomorrow');
  await write('0c', 'As it was');
  const backup = await itemsOf(old);
  await eraseLead(old, organization.id, erased?.id ?? 0, { who });
  await write('0b', '[erased]C[erased]a[erased]l[erased]l[erased]');
  await write('0c', 'As somebody has written it');
  await pause(1100);
  const on = await restored(backup);

  const { document } = await finish(on, '--from', old.name);

  expect(document).toMatchObject({ leadsErased: 1, entriesCleaned: 1, entriesDiffering: 2 });
  const texts = (await itemsOf(on)).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  expect(texts.sort()).toEqual(['As it was', 'Call [erased] at nine', 'Call tomorrow']);
});

test('a key that was rotated since the backup is named, since its holder is locked out', async () => {
  const { old, organization, backup } = await givenBackup(1);
  const { keyId: before } = await organization.key({ label: 'sync' });
  const made = await createApiKey(old, {
    organizationId: organization.id,
    type: 'application',
    scopes: ['leads.read'],
    label: 'sync, rotated',
    createdBy: 7,
    now: new Date(),
  });
  await revokeApiKey(old, organization.id, before);
  const on = await restored(backup);

  const { status, document } = await finish(on, '--from', old.name);

  expect(status).toBe(0);
  expect(document.keysOnlyInOld).toEqual([{ organizationId: organization.id, keyId: made.keyId, label: 'sync, rotated' }]);
});

test('a second restore under the same table name goes on past the ids given out since the first', async () => {
  const { organization, backup } = await givenBackup(1);
  const first = await restored(backup);
  await finish(first, '--yes');
  const secondBackup = await itemsOf(first);
  const given = await takeLeadIds(first, organization.id, 3);
  expect(given).toBeGreaterThan(leadIdMargin);
  await first.client.send(new UpdateTableCommand({ TableName: first.name, DeletionProtectionEnabled: false }));
  await first.client.send(new DeleteTableCommand({ TableName: first.name }));
  await pause(1100);
  const second = await restored(secondBackup, first.name);

  const { status } = await finish(second, '--yes');
  const again = await finish(second, '--yes');

  expect([status, again.status]).toEqual([0, 0]);
  const next = await takeLeadIds(second, organization.id, 1);
  expect(next).toBeGreaterThan(given + 2);
  expect(next).toBeLessThan(3 * leadIdMargin);
});
