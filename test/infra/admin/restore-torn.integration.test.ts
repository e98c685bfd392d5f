import { isDeepStrictEqual } from 'node:util';
import { expect, test } from 'vitest';
import { type Lead, phoneOf } from '../../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../../shared/leads/timeline.ts';
import { parseApiKey } from '../../../shared/organization/api-key.ts';
import { setArchived } from '../../../shared/store/leads/archive.ts';
import { captureNewLead } from '../../../shared/store/leads/captures.ts';
import { updateLead } from '../../../shared/store/leads/update-lead.ts';
import { importLead } from '../../../shared/store/maintenance/import-leads.ts';
import {
  type ApiKeyRequest,
  createApiKey,
  revokeApiKey,
} from '../../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../../shared/store/organizations/apply-settings.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { keyText } from '../../../shared/store/table/primary-keys.ts';
import {
  type GivenOrganization,
  givenOrganization,
  newSettings,
} from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { givenTable } from '../../support/table.ts';
import { takeLeadIds } from './given-backup.ts';
import { finish, itemsOf, nextSecond, restored } from './restored-tables.ts';

type Item = Record<string, unknown>;
const nameOf = ({ pk, sk }: Item): string => keyText({ pk: String(pk), sk: String(sk) });

async function newLead(on: Table, { id: organizationId }: GivenOrganization): Promise<Lead> {
  const now = new Date().toISOString();
  return {
    id: await takeLeadIds(on, organizationId, 1),
    organizationId,
    version: 1,
    fields: { ...person(), lead_type: 'student' },
    stageId: 11,
    pipelineId: 1,
    createdAt: now,
    updatedAt: now,
  };
}

const enquiry = { actorId: 7, keyLabel: 'website', source: 'Website', filled: [], kept: [] };

async function captured(
  on: Table,
  organization: GivenOrganization,
  values: Lead['fields'] = {},
): Promise<Lead> {
  const made = await newLead(on, organization);
  const lead = { ...made, fields: { ...made.fields, ...values } };
  const { keyId = '' } = parseApiKey(organization.website) ?? {};
  const now = new Date(lead.createdAt);
  const entry: TimelineEntry = { type: 'captured_new', at: lead.createdAt, keyId, ...enquiry };
  const lookup = {
    organizationId: lead.organizationId,
    keyId,
    phone: undefined,
    email: undefined,
    idempotencyKeys: [`enquiry ${lead.id}`],
  };
  const record = {
    fingerprint: 'f',
    result: { id: lead.id, created: true, updated: false },
    expiresAt: now.getTime() + 86_400_000,
  };
  await captureNewLead(on, lead, { lookup, entry, record, now });
  return lead;
}

async function imported(on: Table, organization: GivenOrganization): Promise<void> {
  const lead = await newLead(on, organization);
  const times = { at: lead.createdAt, importedAt: lead.createdAt, actorId: null } as const;
  const opening = { type: 'lead_created', via: 'import', ...times } as const;
  const note = { type: 'note_added', via: 'import', text: 'From the fair', ...times } as const;
  await importLead(on, {
    lead,
    entries: { opening, note },
    digests: { digest: `row${lead.id}`, readDigest: 'read' },
    keepsId: false,
  });
}

async function moved(on: Table, before: Lead): Promise<void> {
  const { phone, email } = person();
  const at = new Date(Date.parse(before.updatedAt) + 1).toISOString();
  const after = { ...before, fields: { ...before.fields, phone, email }, updatedAt: at };
  const changes = (['phone', 'email'] as const).map((field) => ({
    field,
    from: before.fields[field] ?? null,
    to: after.fields[field],
  }));
  const change = { type: 'lead_updated', via: 'admin', changes, at, actorId: null } as const;
  await updateLead(on, before, after, change);
}

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
