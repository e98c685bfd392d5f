import { lookAt } from '../check/check-table.ts';
import { findSuspects } from '../check/find-suspects.ts';
import { capturedAt, isCapture, recordedLead } from '../check/item-issues.ts';
import { removeOrganization } from '../erasure/remove-organization.ts';
import { readTimelineItems } from '../leads/timeline.ts';
import { listApiKeys } from '../organizations/api-keys.ts';
import { readSettings } from '../organizations/organizations.ts';
import { batchGet } from '../table/batch-get.ts';
import type { OrganizationTable } from '../table/client.ts';
import { prefixOf } from '../table/entities.ts';
import { getItem } from '../table/get-item.ts';
import type { Item, Stored } from '../table/items.ts';
import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  keyListingPrimaryKey,
  keyOf,
  kindOf,
  leadPrimaryKey,
  type PrimaryKey,
  settingsPrimaryKey,
} from '../table/primary-keys.ts';
import { scanTable } from '../table/scan-table.ts';
import { isAbsent, namesLead } from '../table/writes.ts';
import { claimIdentities, mendLead } from './mend-lead.ts';
import { type LeadReference, type MendedTable, nameOf, referenceOf } from './mended-table.ts';

/**
 * One repair can make the next possible: once a lead gives up its phone, another lead can claim it. The check reports whatever is left
 * after these rounds.
 */
const roundsMax = 6;

/**
 * Examines each item that the check suspects, and completes or removes transactions of which a restored table has only a part. A repeat
 * finds nothing left to do.
 * @param except leads that will be erased
 */
export async function mendTable(
  mended: MendedTable,
  except: readonly LeadReference[] = [],
): Promise<void> {
  const excepted = new Set(except.map(nameOf));
  for (let round = 1; round <= roundsMax; round += 1) {
    const { suspects, organizationOfKey } = await findSuspects(mended.table, {
      isConsistent: true,
    });
    const before = mended.completed + mended.removed;
    const leads: LeadReference[] = [];
    const parts: PrimaryKey[] = [];
    for (const key of suspects) {
      const kind = kindOf(key);
      if (kind?.kind === 'apiKey' || kind?.kind === 'listing') await mendKey(mended, key);
      else if (kind?.kind !== 'lead') parts.push(key);
      else if (!excepted.has(nameOf(kind))) leads.push(referenceOf(kind));
    }
    for (const lead of leads) await mendLead(mended, lead);
    for (const lead of leads) await claimIdentities(mended, lead);
    for (const key of parts) await removeIfWrong(mended, key, organizationOfKey);
    if (mended.completed + mended.removed === before) return;
  }
}

/**
 * Removes an item that does not match its lead: the item of a phone or email, an imported row, or an idempotency record without its
 * capture. So importing the row creates the lead again, and repeating the capture captures again. Other items stay, and the check reports
 * them.
 */
async function removeIfWrong(
  mended: MendedTable,
  key: PrimaryKey,
  organizationOfKey: ReadonlyMap<string, number>,
): Promise<void> {
  const kind = kindOf(key);
  const isRecord = kind?.kind === 'idempotency';
  if (!isRecord && kind?.kind !== 'phone' && kind?.kind !== 'email' && kind?.kind !== 'importedRow')
    return;
  if ((await lookAt(mended.table, key, { organizationOfKey })).length === 0) return;
  if (isRecord) return mended.remove({ ...key });
  const item = await getItem(mended.table, key);
  // A delayed retry must not remove another lead's item.
  if (item) await mended.remove(item, namesLead(item.leadId));
}

/**
 * Writes the missing item of an API key, the key's own or its listing. If only one of them is revoked, revokes the other.
 * @param key the primary key of either item
 */
async function mendKey(mended: MendedTable, key: PrimaryKey): Promise<void> {
  const read = await getItem(mended.table, key);
  if (typeof read?.organizationId !== 'number' || typeof read.keyId !== 'string') return;
  const apiKeyHash = String(read.apiKeyHash ?? key.pk.slice(apiKeyPrimaryKey('').pk.length));
  const itemKey = apiKeyPrimaryKey(apiKeyHash);
  const listingKey = keyListingPrimaryKey(read.organizationId, read.keyId);
  const item = await getItem(mended.table, itemKey);
  const listing = await getItem(mended.table, listingKey);
  const revokedAt = item?.revokedAt ?? listing?.revokedAt;
  const revoked = revokedAt === undefined ? {} : { revokedAt };
  if (listing && (!item || item.revokedAt !== revokedAt)) {
    const { apiKeyHash: _, ...shared } = listing;
    await mended.put({ used: 0, windowEndsAt: 0, ...(item ?? shared), ...itemKey, ...revoked });
  }
  if (item && (!listing || listing.revokedAt !== revokedAt)) {
    const { used: _, windowEndsAt: __, ...shared } = item;
    await mended.put({ apiKeyHash, ...(listing ?? shared), ...listingKey, ...revoked });
  }
}

/**
 * Completes or removes organizations that were being created. Missing settings are copied from the old table. An organization that remains
 * without settings is removed, because it is of no use.
 * @param found the organizations that have items
 * @param listed the organizations of the directory
 * @returns the remaining organizations
 */
export async function mendOrganizations(
  mended: MendedTable,
  found: Iterable<number>,
  listed: readonly number[],
): Promise<number[]> {
  const { table, old } = mended;
  const remaining: number[] = [];
  for (const id of new Set([...listed, ...found])) {
    const copy = old && (await getItem(old, settingsPrimaryKey(id)));
    if (copy) await mended.put(copy, isAbsent);
    const stored = await readSettings(table, id);
    if (!stored) {
      mended.removed += await removeOrganization(table, id);
      continue;
    }
    if (!listed.includes(id))
      await mended.put({ ...directoryPrimaryKey(id), name: stored.settings.name });
    remaining.push(id);
  }
  return remaining;
}

/**
 * Copies missing items from the old table: idempotency records of captures that the restored table has, and rows of its imported leads.
 * @param organizations the organizations of the restored table
 * @returns the leads that only the old table has
 */
export async function completeFromOld(
  mended: MendedTable,
  organizations: readonly number[],
): Promise<LeadReference[]> {
  const { table, old } = mended;
  if (!old) return [];
  const ownerOfKey = new Map<string, OrganizationTable>();
  for (const organizationId of organizations)
    for (const { keyId } of await listApiKeys(table, organizationId))
      ownerOfKey.set(keyId, { table, organizationId });
  const onlyInOld: LeadReference[] = [];
  await scanTable(old, leadsAndParts, async ({ items }) => {
    const copies = await batchGet(table, items.map(keyOf));
    for (const item of items) {
      const kind = kindOf(item);
      const copy = copies.get(keyOf(item));
      if (kind?.kind === 'lead' && organizations.includes(kind.organizationId)) {
        if (copy?.createdAt !== item.createdAt) onlyInOld.push(referenceOf(kind));
      } else if (copy) continue;
      else if (kind?.kind === 'importedRow') {
        const leadKey = leadPrimaryKey(kind.organizationId, Number(item.leadId));
        const lead = await getItem(table, leadKey);
        // If the restored table has already been used, another lead may have the ID.
        if (lead && lead.createdAt === (await getItem(old, leadKey))?.createdAt)
          await mended.put(item);
      } else if (kind?.kind === 'idempotency') {
        const scope = ownerOfKey.get(kind.keyId);
        if (scope && (await isCaptured(scope, item, kind.keyId))) await mended.put(item);
      }
    }
  });
  return onlyInOld;
}

/** Whether a lead's timeline has the capture of an idempotency record. */
async function isCaptured(scope: OrganizationTable, record: Item, keyId: string): Promise<boolean> {
  const timeline: readonly Stored<Item>[] = await readTimelineItems(
    scope,
    Number(recordedLead(record)),
  );
  const place = `${capturedAt(record)}#`;
  return timeline.some(
    (entry) => isCapture(entry) && entry.keyId === keyId && entry.sk.startsWith(place),
  );
}

const leadsAndParts = {
  ConsistentRead: true,
  FilterExpression:
    'begins_with(pk, :leads) OR begins_with(pk, :records) OR begins_with(pk, :rows)',
  ExpressionAttributeValues: {
    ':leads': prefixOf('lead'),
    ':records': prefixOf('idempotency'),
    ':rows': prefixOf('importedRow'),
  },
};
