import { DeleteCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { describe, expect, test } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { checkTable } from '../../../../shared/store/check/check-table.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { readLead } from '../../../../shared/store/leads/leads.ts';
import { revokeApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import {
  keyText,
  leadPrimaryKey,
  timelinePartitionKey,
} from '../../../../shared/store/table/primary-keys.ts';
import { importLead } from '../../../../shared/store/transfer/import-leads.ts';
import { runAdmin } from '../../../support/admin.ts';
import { eraseLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { environmentOf } from '../../../support/table.ts';
import { useFolder } from '../../given-folder.ts';
import { commandOf } from '../commands.ts';
import { givenBackup, newLead, who } from './given-backup.ts';
import { finish, itemsOf, nextSecond, restored } from './restored-tables.ts';

const folder = useFolder();

const deleteItem = (on: Table, Key: { pk: string; sk: string }) =>
  on.client.send(new DeleteCommand({ TableName: on.name, Key: { ...Key } }));
const leadIdsIn = async (on: Table): Promise<number[]> =>
  (await itemsOf(on))
    .filter(({ pk }) => String(pk).startsWith('LEADS#'))
    .map(({ sk }) => Number(sk));

describe.concurrent('a lead that is missing from the old table', () => {
  test('a restore keeps and lists a lead that was deleted from the old table by accident', async () => {
    const { old, organization, backup, leadIds } = await givenBackup(8);
    for (const leadId of leadIds.slice(0, 6))
      await deleteItem(old, leadPrimaryKey(organization.id, leadId));
    const on = await restored(backup);

    const { status, document } = await finish(on, '--from', old.name);

    expect([status, document.leadsErased]).toEqual([0, 0]);
    expect(
      document.leadsMissingInOld.map(({ leadId }: { leadId: number }) => leadId).sort(),
    ).toEqual(leadIds.slice(0, 6));
    expect((await leadIdsIn(on)).sort()).toEqual(leadIds);
    expect((await checkTable(on)).violations).toEqual([]);
  });

  test('more than ten leads that were erased since must be confirmed by number', async () => {
    const { old, organization, backup, leadIds } = await givenBackup(11);
    const erase = async (ids: readonly number[]) => {
      for (const leadId of ids) await eraseLead(old, organization.id, leadId, { who });
    };
    await erase(leadIds.slice(1));
    const ten = await finish(await restored(backup), '--from', old.name);
    expect(ten.document.leadsErased).toBe(10);
    await erase(leadIds.slice(0, 1));
    const on = await restored(backup);
    const before = await itemsOf(on);

    const unasked = await finish(on, '--from', old.name);

    expect(unasked).toMatchObject({
      status: 1,
      stderr: expect.stringMatching(/11 leads .* were erased since[\s\S]*Add --yes/),
    });
    expect(await itemsOf(on)).toEqual(before);
    expect((await finish(on, '--from', old.name, '--yes')).document.leadsErased).toBe(11);
  });
});

test.concurrent('a timeline item is copied from the old table only if an erasure changed it there', async () => {
  const { old, organization, leads } = await givenBackup(2);
  const [erased, other] = leads;
  const at = '2026-01-01T00:00:00.000Z';
  const write = (name: string, text: string) => {
    const key = { pk: timelinePartitionKey(organization.id, other?.id ?? 0), sk: `${at}#${name}` };
    return old.client.send(
      new PutCommand({
        TableName: old.name,
        Item: { ...key, type: 'note_added', at, actorId: 7, via: 'api', keyId: 'k', text },
      }),
    );
  };
  await write('0a', `Call ${erased?.fields.phone} at nine`);
  await write('0b', 'As it was');
  const backup = await itemsOf(old);
  await eraseLead(old, organization.id, erased?.id ?? 0, { who });
  await write('0b', 'As somebody has written it');
  await nextSecond();
  const on = await restored(backup);

  const { document } = await finish(on, '--from', old.name);

  expect(document).toMatchObject({ leadsErased: 1, entriesCleaned: 1, entriesDiffering: 1 });
  const texts = (await itemsOf(on)).flatMap(({ text }) => (typeof text === 'string' ? [text] : []));
  expect(texts.sort()).toEqual(['As it was', 'Call [erased] at nine']);
});

test.concurrent('a key that was rotated since the backup is named, since its holder is locked out', async () => {
  const { old, organization, backup } = await givenBackup(1);
  const { keyId: before } = await organization.key({ label: 'sync' });
  const made = await organization.key({ label: 'sync, rotated' });
  await revokeApiKey(old, organization.id, before);
  const on = await restored(backup);

  const { status, document } = await finish(on, '--from', old.name);

  expect(status).toBe(0);
  expect(document.keysOnlyInOld).toEqual([
    { organizationId: organization.id, keyId: made.keyId, label: 'sync, rotated' },
  ]);
});

/** As `lead import --keep-ids` creates a lead again from a file that was exported before its erasure. */
async function importAgain(on: Table, { id, ...values }: Lead): Promise<void> {
  const lead = { ...values, id, version: 1 };
  const digests = { digest: `row${id}`, readDigest: 'read' };
  expect(await importLead(on, { lead, note: undefined, by: who, digests, keepsId: true })).toEqual({
    outcome: 'created',
  });
}

test.concurrent.each([true, false])(
  'a lead that was imported again after its erasure, before the backup, stays (old table: %s)',
  async (hasOld) => {
    const { old, organization, leads } = await givenBackup(1);
    for (const lead of leads) {
      await eraseLead(old, organization.id, lead.id, { who });
      await importAgain(old, lead);
    }
    await nextSecond();
    const on = await restored(old);

    const { document } = await finish(on, ...(hasOld ? ['--from', old.name] : ['--yes']));

    expect(document).toMatchObject({ leadsErased: 0, leadsMissingInOld: [], violations: [] });
    expect(await leadIdsIn(on)).toHaveLength(1);
  },
);

test.concurrent('the imported row of a lead whose ID the restored table gave to another lead is not copied', async () => {
  const { old, organization, backup } = await givenBackup(0);
  const lead = await newLead(old, organization);
  await importAgain(old, lead);
  const on = await restored(backup);
  const other = { ...(await newLead(old, organization)), id: lead.id };
  const opening = { type: 'lead_created', via: 'api', keyId: 'k', actorId: 7 } as const;
  await createLead(on, () => ({ lead: other, opening: { ...opening, at: other.createdAt } }));

  const { status, document } = await finish(on, '--from', old.name);

  expect([status, document.violations]).toEqual([0, []]);
  expect((await itemsOf(on)).filter(({ readDigest }) => readDigest !== undefined)).toEqual([]);
});

test.concurrent('the leads that were created since the backup are named, and written as a file that brings them back', async () => {
  const { old, organization, backup, leadIds } = await givenBackup(2);
  const [leadId = 0] = leadIds;
  const isOfLead = ({ pk, sk, leadId: named }: Record<string, unknown>): boolean =>
    named === leadId ||
    pk === timelinePartitionKey(organization.id, leadId) ||
    keyText({ pk: String(pk), sk: String(sk) }) ===
      keyText(leadPrimaryKey(organization.id, leadId));
  const on = await restored(backup.filter((item) => !isOfLead(item)));
  const file = folder.newPath('missing.jsonl');
  const args = ['--from', old.name, '--missing-out', file];

  const first = await finish(on, ...args);
  const imported = await runAdmin(
    commandOf(organization, 'lead import', file, '--keep-ids', '--json'),
    { environment: environmentOf(on.name) },
  );
  const second = await finish(on, ...args);

  const reference = { organizationId: organization.id, leadId };
  expect([first.status, first.document.leadsOnlyInOld]).toEqual([0, [reference]]);
  expect(imported.json).toMatchObject({ imported: 1, refused: 0 });
  expect([second.status, second.document.leadsOnlyInOld]).toEqual([0, []]);
  expect(await readLead(on, organization.id, leadId)).toEqual(
    await readLead(old, organization.id, leadId),
  );
});

test.concurrent('the new leads of two organizations are written into a file for each', async () => {
  const { old, organization } = await givenBackup(0);
  const organizations = [organization, await givenOrganization({}, old)];
  const backup = await itemsOf(old);
  const phones: string[] = [];
  for (const one of organizations) {
    const lead = await newLead(old, one);
    await importAgain(old, lead);
    phones.push(lead.fields.phone);
  }
  await nextSecond();
  const on = await restored(backup);
  const file = folder.newPath('missing.jsonl');

  await finish(on, '--from', old.name, '--missing-out', file);

  for (const [index, { id }] of organizations.entries()) {
    const lines = (await folder.read(file.replace('jsonl', `${id}.jsonl`))).trim().split('\n');
    expect(lines).toEqual([expect.stringContaining(phones[index] ?? '')]);
  }
});
