import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { type Lead, phoneOf } from '../../../../shared/leads/lead.ts';
import { setArchived } from '../../../../shared/store/leads/archive.ts';
import { putTimelineEntry } from '../../../../shared/store/leads/timeline.ts';
import { updateLead } from '../../../../shared/store/leads/update-lead.ts';
import { eraseLead } from '../../../../shared/store/maintenance/erase-lead.ts';
import {
  type ApiKeyRequest,
  createApiKey,
  revokeApiKey,
} from '../../../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { keyText } from '../../../../shared/store/table/primary-keys.ts';
import { transact } from '../../../../shared/store/table/transact.ts';
import {
  type GivenOrganization,
  givenOrganization,
  newSettings,
} from '../../../support/organizations.ts';
import { givenTable } from '../../../support/table.ts';
import { captured, imported, moved } from './given-writes.ts';
import { finish, itemsOf, nextSecond, restored } from './restored-tables.ts';

type Item = Record<string, unknown>;
const nameOf = ({ pk, sk }: Item): string => keyText({ pk: String(pk), sk: String(sk) });

const keyOrder = (organizationId: number): ApiKeyRequest => ({
  organizationId,
  type: 'application',
  scopes: ['leads.read'],
  label: 'sync',
  createdBy: 7,
  now: new Date(),
});

/** What the service writes in one transaction. */
const transactions: Readonly<
  Record<string, (on: Table, organization: GivenOrganization) => Promise<() => Promise<unknown>>>
> = {
  'the capture of a new lead': async (on, organization) => () => captured(on, organization),
  'the import of a lead with a note': async (on, organization) => () => imported(on, organization),
  'a new phone and a new email': async (on, organization) => {
    const lead = await captured(on, organization);
    return () => moved(on, lead);
  },
  'the archiving of a lead': async (on, organization) => {
    const lead = await captured(on, organization);
    return () => setArchived(on, organization.id, lead.id, true);
  },
  'a new API key':
    async (on, { id }) =>
    () =>
      createApiKey(on, keyOrder(id)),
  'the revocation of an API key': async (on, { id }) => {
    const { keyId } = await createApiKey(on, keyOrder(id));
    return () => revokeApiKey(on, id, keyId);
  },
  'a new organization': async (on) => () => applySettings(on, newSettings()),
};

/** Counters of the organization, which one item has for all transactions. */
const isCounter = (name: string): boolean => /^USAGE#|\/ SETTINGS$/.test(name);

async function itemsByName(on: Table): Promise<Map<string, Item>> {
  return new Map((await itemsOf(on)).map((item) => [nameOf(item), item]));
}

/** Of so many items: each alone, and all but each. The simulator tears a backup in every other way (test/simulation/restore/). */
const partsOf = (items: number): number[] =>
  Array.from({ length: items }, (_, at) => [1 << at, (2 ** items - 1) ^ (1 << at)]).flat();

/** A table in which a transaction was made several times, and a backup which has another part of each. */
async function tornBackup(transaction: string) {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const backup = new Map<string, Item>();
  const decided = new Set<string>();
  let parts = [0];
  for (let made = 0; made < parts.length; made += 1) {
    const commit = await transactions[transaction]?.(old, organization);
    const [before, after] = [await itemsByName(old), await commit?.().then(() => itemsByName(old))];
    const names = [...new Set([...before.keys(), ...(after ?? before).keys()])].filter(
      (name) =>
        !(isCounter(name) && before.has(name)) &&
        !isDeepStrictEqual(before.get(name), after?.get(name)),
    );
    parts = partsOf(names.length);
    for (const [name, item] of before) if (!decided.has(name)) backup.set(name, item);
    for (const [at, name] of names.sort().entries()) {
      decided.add(name);
      const item = ((parts[made] ?? 0) >> at) & 1 ? after?.get(name) : before.get(name);
      if (item) backup.set(name, item);
      else backup.delete(name);
    }
  }
  await nextSecond();
  return { old, backup: [...backup.values()] };
}

test.concurrent.each(Object.keys(transactions))(
  'a backup with a part of %s is made whole, whichever part it is, with the old table and without it',
  { timeout: 60_000 },
  async (transaction) => {
    const { old, backup } = await tornBackup(transaction);
    for (const options of [['--from', old.name], ['--yes']]) {
      const on = await restored(backup);

      const { status, document } = await finish(on, ...options);

      expect([status, document.violations]).toEqual([0, []]);
      expect(document.partsCompleted + document.partsRemoved).toBeGreaterThan(0);
      expect(document.leadsMended.length > 0).toBe(!/key|organization/.test(transaction));
      const again = await finish(on, ...options);
      expect(again.document).toMatchObject({
        partsCompleted: 0,
        partsRemoved: 0,
        leadsMended: [],
        violations: [],
      });
    }
  },
);

test('a lead whose phone another lead has in the backup comes from the old table, where it has another phone', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const first = await captured(old, organization);
  const before = await itemsByName(old);
  await moved(old, first);
  const second = await captured(old, organization, { phone: phoneOf(first) });
  const after = await itemsByName(old);
  await nextSecond();
  const ofFirst = [...before].filter(([name]) => /^(LEADS|TIMELINE)#/.test(name));
  const ofSecond = [...after].filter(
    ([name, item]) =>
      !name.startsWith(`TIMELINE#${organization.id}#${first.id} /`) && item.leadId !== first.id,
  );
  const on = await restored([...new Map([...ofSecond, ...ofFirst]).values()]);

  const { status, document } = await finish(on, '--from', old.name);

  expect([status, document.violations]).toEqual([0, []]);
  const leads = (await itemsOf(on)).filter(({ pk }) => String(pk).startsWith('LEADS#'));
  expect(leads).toHaveLength(2);
  expect(leads).toContainEqual(
    after.get(nameOf(leads.find(({ sk }) => Number(sk) === first.id) ?? {})),
  );
  expect(phoneOf(second)).toBe(phoneOf(first));
});

const itemOf = async (on: Table, { organizationId, id }: Lead): Promise<Item | undefined> =>
  (await itemsOf(on)).find(({ pk, sk }) => pk === `LEADS#${organizationId}` && Number(sk) === id);

test('an organization that has leads but no settings is named, and nothing of it is removed', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  await captured(old, organization);
  await captured(old, await givenOrganization({}, old));
  const items = (await itemsOf(old)).filter(
    ({ pk, sk }) => !(pk === `ORG#${organization.id}` && sk === 'SETTINGS'),
  );
  for (const options of [['--from', (await restored(items)).name], ['--yes']]) {
    const on = await restored(items);

    const { status, stderr } = await finish(on, ...options);

    expect([status, stderr]).toEqual([
      1,
      `Organization ${organization.id} of table ${on.name} has leads but no settings: restore another moment, and check it before you use it. Nothing was changed.\n`,
    ]);
    expect(await itemsOf(on)).toHaveLength(items.length);
  }
});

test('what somebody else wrote about their own phone stays when its former holder is erased again', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const former = await captured(old, organization);
  await moved(old, former);
  const holder = await captured(old, organization, { phone: phoneOf(former) });
  const text = `Call me on ${phoneOf(holder)}.`;
  const at = new Date(Date.parse(holder.createdAt) + 1).toISOString();
  const note = {
    type: 'note_added',
    via: 'import',
    importedAt: at,
    text,
    actorId: null,
    at,
  } as const;
  await transact(old, [putTimelineEntry(old, holder, note)]);
  const torn = (await itemsOf(old)).filter(
    ({ pk }) => pk !== `PHONE#${organization.id}#${phoneOf(holder)}`,
  );
  await nextSecond();
  await eraseLead(old, organization.id, former.id, { who: 'administrator' });
  const on = await restored(torn);

  const { status, document } = await finish(on, '--from', old.name);

  expect([status, document.leadsErased, document.violations]).toEqual([0, 1, []]);
  expect((await itemsOf(on)).map((item) => item.text).filter(Boolean)).toEqual([text]);
});

test('what the restored table was used for before its lead was made whole stays', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const lead = await captured(old, organization);
  const torn = (await itemsOf(old)).filter(({ pk }) => !String(pk).startsWith('EMAIL#'));
  await nextSecond();
  const on = await restored(torn);
  const updatedAt = new Date().toISOString();
  const changes = [{ field: 'name', from: lead.fields.name ?? null, to: 'New name' }];
  await updateLead(
    on,
    lead,
    { ...lead, fields: { ...lead.fields, name: 'New name' }, updatedAt },
    { type: 'lead_updated', via: 'admin', changes, at: updatedAt, actorId: null },
  );

  const { status, document } = await finish(on, '--from', old.name);

  expect([status, document.violations]).toEqual([0, []]);
  expect(await itemOf(on, lead)).toMatchObject({ version: 2, fields: { name: 'New name' } });
});

test('a lead whose last restoring and archiving the backup lacks is made whole without the old table', async () => {
  const old = await givenTable();
  const organization = await givenOrganization({}, old);
  const { id } = await captured(old, organization);
  for (const isArchived of [true, false, true])
    await setArchived(old, organization.id, id, isArchived);
  const timeline = (await itemsOf(old)).filter(({ pk }) => String(pk).startsWith('TIMELINE#'));
  const lost = timeline.map(nameOf).sort().slice(2);
  const on = await restored((await itemsOf(old)).filter((item) => !lost.includes(nameOf(item))));

  const { status, document } = await finish(on, '--yes');

  expect([status, document.violations]).toEqual([0, []]);
});
