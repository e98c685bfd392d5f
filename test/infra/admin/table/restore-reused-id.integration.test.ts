import { expect, test } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { eraseLead } from '../../../../shared/store/maintenance/erase-lead.ts';
import { importLead } from '../../../../shared/store/maintenance/import-leads.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { givenBackup, who } from './given-backup.ts';
import { finish, itemsOf, nextSecond, restored } from './restored-tables.ts';

/** As `lead import --keep-ids` creates a lead again from a file that was exported before its erasure. */
async function importAgain(on: Table, { id, ...values }: Lead): Promise<void> {
  const lead = { ...values, id, version: 1 };
  const digests = { digest: `row${id}`, readDigest: 'read' };
  expect(await importLead(on, { lead, note: undefined, digests, keepsId: true })).toEqual({
    outcome: 'created',
  });
}

async function givenLead() {
  const { old, organization, leads } = await givenBackup(1);
  const [lead] = leads;
  if (!lead) throw new Error('There is no lead.');
  return {
    old,
    lead,
    erase: () => eraseLead(old, organization.id, lead.id, { who }),
    reference: { organizationId: organization.id, leadId: lead.id },
  };
}

const leadsIn = async (on: Table): Promise<number> =>
  (await itemsOf(on)).filter(({ pk }) => String(pk).startsWith('LEADS#')).length;

test.concurrent('a lead that was erased, imported again under its ID, and erased again since the backup is erased', async () => {
  const { old, lead, erase } = await givenLead();
  await erase();
  await importAgain(old, lead);
  const backup = await itemsOf(old);
  await erase();
  await nextSecond();
  const on = await restored(backup);

  const { document } = await finish(on, '--from', old.name);

  expect(document).toMatchObject({ leadsErased: 1, leadsMissingInOld: [], violations: [] });
  expect(await leadsIn(on)).toBe(0);
});

test.concurrent('a lead that was erased since the backup is erased although an import has created it again', async () => {
  const { old, lead, erase, reference } = await givenLead();
  const backup = await itemsOf(old);
  await erase();
  await importAgain(old, lead);
  await nextSecond();
  const on = await restored(backup);

  const { document } = await finish(on, '--from', old.name);

  expect(document).toMatchObject({
    leadsErased: 1,
    leadsMissingInOld: [],
    leadsOnlyInOld: [reference],
    violations: [],
  });
  expect(await leadsIn(on)).toBe(0);
});

test.concurrent.each([true, false])(
  'a lead that was imported again after its erasure, before the backup, stays (old table: %s)',
  async (hasOld) => {
    const { old, lead, erase } = await givenLead();
    await erase();
    await importAgain(old, lead);
    await nextSecond();
    const on = await restored(old);

    const { document } = await finish(on, ...(hasOld ? ['--from', old.name] : ['--yes']));

    expect(document).toMatchObject({ leadsErased: 0, leadsMissingInOld: [], violations: [] });
    expect(await leadsIn(on)).toBe(1);
  },
);

test.concurrent('the leads that were created since the backup are named', async () => {
  const { old, lead, reference } = await givenLead();
  const backup = (await itemsOf(old)).filter(
    ({ pk, leadId }) => !/^(LEADS|TIMELINE)#/.test(String(pk)) && leadId !== lead.id,
  );
  const on = await restored(backup);

  const { status, document } = await finish(on, '--from', old.name);

  expect([status, document.leadsOnlyInOld]).toEqual([0, [reference]]);
});
