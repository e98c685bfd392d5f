import { getItem } from '../../table/get-item.ts';
import type { IdentityItem, TimelineEntryItem } from '../../table/items.ts';
import { keyText, type PrimaryKey } from '../../table/primary-keys.ts';
import {
  holdsIdentity,
  identityKeysOf,
  isBeyond,
  isState,
  type LeadHistory,
  type LeadPart,
  type LeadReference,
  missingEntries,
  nameOf,
  readHistory,
  readLeadItem,
} from './lead-in-backup.ts';
import type { MendedTable } from './mended-table.ts';
import type { Survey } from './survey.ts';

/** Completes or removes what a restored table has in part of leads, except for those that will be erased. A repeat finds nothing left to do. */
export async function mendLeads(
  mended: MendedTable,
  survey: Pick<Survey, 'leads' | 'identities'>,
  except: readonly LeadReference[] = [],
): Promise<void> {
  const excepted = new Set(except.map(nameOf));
  const leads = [...survey.leads.values()].filter((lead) => !excepted.has(nameOf(lead)));
  const identities = survey.identities.filter((part) => !excepted.has(nameOf(part)));
  for (const lead of leads) identities.push(...(await mendLead(mended, lead)));
  for (const lead of leads) await claimIdentities(mended, lead);
  for (const identity of identities) await releaseIdentity(mended, identity);
}

/**
 * Brings a lead and its timeline to one state. If the old table has the lead as the latest of the two tells it, the rest is copied from
 * there. Otherwise the lead decides: entries that tell of later changes are removed, those that are missing are copied or written from
 * what the lead shows, and the timeline of a lead that is missing is removed.
 * @returns the unique phone and email that the lead had before: it may have others now
 */
async function mendLead(
  mended: MendedTable,
  reference: LeadReference,
): Promise<readonly LeadPart[]> {
  const found = await readHistory(mended.table, reference);
  const old = mended.old && (await readHistory(mended.old, reference));
  const copy = old?.lead && isSameLead(found, old) ? old : undefined;
  const latest = latestOf(found);
  if (copy?.lead && isComplete(copy) && latestOf(copy) <= latest) {
    // The restored table may have been used already: what came of that stays.
    if ((found.lead?.version ?? 0) < copy.lead.version) await mended.put(copy.lead);
    await copyEntries(mended, found, copy, latest);
    const keys = found.lead ? identityKeysOf(reference.organizationId, found.lead) : [];
    return keys.map((key) => ({ ...reference, key }));
  }
  const { lead } = found;
  const wrong = lead ? found.entries.filter((one) => isBeyond(one, lead.updatedAt)) : found.entries;
  for (const entry of wrong) await mended.remove(entry);
  if (!lead) return [];
  const kept = found.entries.filter((entry) => !wrong.includes(entry));
  const copied = copy ? await copyEntries(mended, found, copy, lead.updatedAt) : [];
  const entries = [...kept, ...copied].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  for (const entry of missingEntries(lead, reference, entries)) await mended.put(entry);
  return [];
}

/** An ID can be given again to another lead, which an import creates. */
const isSameLead = ({ lead, entries }: LeadHistory, old: LeadHistory): boolean =>
  lead
    ? lead.createdAt === old.lead?.createdAt
    : entries.some((entry) => old.entries.some(({ sk }) => sk === entry.sk));

/** Whether a timeline tells of every version of its lead. Part of a table that was in use may be lost. */
const isComplete = ({ lead, entries }: LeadHistory): boolean =>
  lead?.version === entries.filter(isState).length;

/** The time of a lead's last change, as its item or its timeline tells it. */
const latestOf = ({ lead, entries }: LeadHistory): string =>
  [lead?.updatedAt ?? '', ...entries.filter(isState).map(({ at }) => at)].sort().at(-1) ?? '';

async function copyEntries(
  mended: MendedTable,
  found: LeadHistory,
  old: LeadHistory,
  until: string,
): Promise<TimelineEntryItem[]> {
  const known = new Set(found.entries.map((entry) => keyText(entry)));
  const missing = old.entries.filter((entry) => entry.at <= until && !known.has(keyText(entry)));
  for (const entry of missing) await mended.put(entry);
  return missing;
}

/**
 * Brings a lead to the state of the old table, if it has given up a phone or email there that another lead has in the backup.
 * @returns whether that is so
 */
async function advanceLead(
  mended: MendedTable,
  reference: LeadReference,
  key: PrimaryKey,
): Promise<boolean> {
  const { organizationId } = reference;
  const found = await readHistory(mended.table, reference);
  const old = mended.old && (await readHistory(mended.old, reference));
  if (!old?.lead || !isComplete(old) || !isSameLead(found, old)) return false;
  if (holdsIdentity({ organizationId, key }, old.lead)) return false;
  if (found.lead && found.lead.version >= old.lead.version) return false;
  await copyEntries(mended, found, old, latestOf(old));
  await mended.put(old.lead);
  return true;
}

/**
 * Gives a lead the unique items of its phone and its email. If another lead has one of them too, one of the two had given it up when the
 * other got it, and the backup does not have that: that lead comes from the old table. Without the old table, both stay as they are, and the
 * check names them.
 */
async function claimIdentities(mended: MendedTable, reference: LeadReference): Promise<void> {
  const { table } = mended;
  const { organizationId, leadId } = reference;
  const lead = await readLeadItem(table, reference);
  if (!lead) return;
  for (const key of identityKeysOf(organizationId, lead)) {
    const holderId = (await getItem<IdentityItem>(table, key))?.leadId;
    if (holderId === leadId) continue;
    const part = { ...reference, key };
    const holder = { organizationId, leadId: holderId ?? leadId };
    const isShared =
      holderId !== undefined && holdsIdentity(part, await readLeadItem(table, holder));
    if (isShared && (await advanceLead(mended, reference, key)))
      return claimIdentities(mended, reference);
    if (isShared && !(await advanceLead(mended, holder, key))) continue;
    await mended.claim(part, holderId);
    if (isShared) await claimIdentities(mended, holder);
  }
}

/** Removes a unique phone or email that its lead does not have. */
async function releaseIdentity(mended: MendedTable, part: LeadPart): Promise<void> {
  if (!holdsIdentity(part, await readLeadItem(mended.table, part))) await mended.release(part);
}
