import { recordExpiry } from '../../../../shared/leads/idempotency.ts';
import type { FieldValues, Lead } from '../../../../shared/leads/lead.ts';
import { hashApiKey } from '../../../../shared/organization/api-key.ts';
import { writeCapture } from '../../../../shared/store/leads/captures.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { nextOwner } from '../../../../shared/store/leads/rotation.ts';
import { readTimelineItems } from '../../../../shared/store/leads/timeline.ts';
import { admitOrganization } from '../../../../shared/store/organizations/admission.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { getItem } from '../../../../shared/store/table/get-item.ts';
import type { Item } from '../../../../shared/store/table/items.ts';
import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  emailPrimaryKey,
  idempotencyPrimaryKey,
  keyListingPrimaryKey,
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../../../../shared/store/table/primary-keys.ts';
import { deletion, put, writeItem } from '../../../../shared/store/table/writes.ts';
import { leadOf } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';
import { givenOrganizationWithoutKeys } from '../../../support/organizations.ts';

/** When both leads were made. */
export const at = new Date().toISOString();
const leadIn = (organizationId: number, id: number, more: FieldValues = {}): Lead =>
  leadOf(
    { organizationId, id, createdAt: at },
    {
      phone: `+91982000000${id}`,
      email: `P.${id}@example.com`,
      source: 1,
      assigned_to: 7,
      ...more,
    },
  );

/** An organization with a key, a created lead 1, a captured lead 2 and an advanced rotation counter, as the service writes them. */
export async function givenSoundTable(table: Table = modelTable(), organizationId = 1) {
  const { settings, key: newKey } = await givenOrganizationWithoutKeys({}, table, organizationId);
  const { key: apiKey, keyId } = await newKey({
    scopes: ['leads.write', 'leads.capture'],
    label: 'sync',
  });
  await nextOwner(table, organizationId, { rule: 'everyone', userIds: [7, 8] });
  for (let lead = 1; lead <= 2; lead += 1)
    await admitOrganization(table, organizationId, new Date(), true);
  const more = { course: 'mba', interests: ['hostel', 'loan'], budget: 4, wants_call: false };
  const lead = leadIn(organizationId, 1, more);
  const opening = { type: 'lead_created', at, actorId: 7, via: 'api', keyId } as const;
  await createLead(table, () => ({ lead, opening }));
  const captured = leadIn(organizationId, 2);
  const by = { actorId: 7, keyId, keyLabel: 'sync' };
  const keys = [{ value: 'form-1', givenAs: 'externalId' }] as const;
  const capture = { organizationId, keyId, keys, fingerprint: 'f' };
  await writeCapture(
    table,
    { ...capture, phone: undefined, email: undefined },
    {
      outcome: 'new',
      lead: captured,
      entry: { type: 'captured_new', at, ...by, source: 'Website', filled: [], kept: [] },
      record: {
        fingerprint: 'f',
        result: { id: 2, created: true, updated: false },
        expiresAt: recordExpiry(new Date(at)),
      },
    },
  );
  const openingOf = async (leadId: number): Promise<PrimaryKey> => {
    const [entry] = await readTimelineItems({ table, organizationId }, leadId);
    return { pk: String(entry?.pk), sk: String(entry?.sk) };
  };
  const key = {
    settings: settingsPrimaryKey(organizationId),
    usage: usagePrimaryKey(organizationId),
    directory: directoryPrimaryKey(organizationId),
    listing: keyListingPrimaryKey(organizationId, keyId),
    apiKey: apiKeyPrimaryKey(hashApiKey(apiKey)),
    lead: leadPrimaryKey(organizationId, 1),
    captured: leadPrimaryKey(organizationId, 2),
    phone: phonePrimaryKey(organizationId, '+919820000001'),
    email: emailPrimaryKey(organizationId, 'p.1@example.com'),
    capturedPhone: phonePrimaryKey(organizationId, '+919820000002'),
    capturedEmail: emailPrimaryKey(organizationId, 'p.2@example.com'),
    opening: await openingOf(1),
    enquiry: await openingOf(2),
    record: idempotencyPrimaryKey(keyId, 'form-1'),
  } satisfies Record<string, PrimaryKey>;
  return { table, settings, keyId, lead, key };
}

export type SoundTable = Awaited<ReturnType<typeof givenSoundTable>>;

type Name = keyof SoundTable['key'];
type Damage = (sound: SoundTable) => Promise<unknown>;

/** What breaks a rule in one place of a sound table, and the violations that a check then reports: `{phone}` is the name of that item. */
export type Case = readonly [damage: Damage, ...violations: string[]];

/** Violations with the names of a table's items. */
export const namedIn = ({ key, keyId }: SoundTable, violations: readonly string[]): string[] => {
  const names = new Map(Object.entries(key).map(([name, one]) => [name, keyText(one)]));
  names.set('keyId', keyId);
  names.set('openingSk', key.opening.sk);
  return violations
    .map((one) => one.replace(/\{(\w+)\}/g, (_, name) => names.get(name) ?? name))
    .sort();
};

export const removed =
  (name: Name): Damage =>
  ({ table, key }) =>
    writeItem(table, deletion(key[name]));

export const added =
  (itemIn: (sound: SoundTable) => PrimaryKey & Readonly<Record<string, unknown>>): Damage =>
  (sound) =>
    writeItem(sound.table, put(itemIn(sound)));

/** Sets attributes of an item, null to remove one; a nested one is `fields.city`. */
export const changed =
  (name: Name, attributes: Readonly<Record<string, unknown>>): Damage =>
  async ({ table, key }) => {
    const item: Record<string, unknown> = { ...(await getItem<Item>(table, key[name])) };
    for (const [path, value] of Object.entries(attributes)) {
      const [own = '', nested] = path.split('.');
      if (nested !== undefined)
        item[own] = { ...(item[own] as object), [nested]: value ?? undefined };
      else item[own] = value ?? undefined;
    }
    await writeItem(table, put(item));
  };
