import { isDeepStrictEqual } from 'node:util';
import { type FieldValue, valueOf } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { isChange, isOpening } from '../../leads/timeline-replay.ts';
import { identityKeysOf } from '../leads/identities.ts';
import { leadFrom } from '../leads/leads.ts';
import { readTimelineItems } from '../leads/timeline.ts';
import type { Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { IdentityItem, Item, LeadItem, Stored, TimelineEntryItem } from '../table/items.ts';
import {
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  timelinePartitionKey,
} from '../table/primary-keys.ts';
import { type Condition, hasVersion, isAbsent, namesNobodyBut } from '../table/writes.ts';
import type { LeadReference, MendedTable } from './mended-table.ts';

/**
 * Brings a lead and its timeline to one state. If the old table has the lead as the latest of the two tells it, the rest is copied from
 * there. Otherwise the lead decides: entries that tell of later changes are removed, those that are missing are copied or written from
 * what the lead shows, and the timeline of a lead that is missing is removed. Does nothing to a lead that is whole. If the restored table is
 * in use already, nothing is removed or copied over of what was written to it.
 */
export async function mendLead(mended: MendedTable, reference: LeadReference): Promise<void> {
  const found = await readHistory(mended.table, reference);
  const old = mended.old && (await readHistory(mended.old, reference));
  const ofUse = entriesOfUse(mended, found, old);
  const copy = old?.lead && isSameLead(found, old) && ofUse.size === 0 ? old : undefined;
  let { lead } = found;
  if (
    copy?.lead &&
    isComplete(copy) &&
    toldUntil(copy) <= toldUntil(found) &&
    (lead?.version ?? 0) < copy.lead.version
  ) {
    if (!(await mended.put(copy.lead, asRead(lead)))) return; // The table is in use; the next round reads it again.
    lead = copy.lead;
  }
  const unused = found.entries.filter((entry) => !ofUse.has(entry));
  // The use went on from the state of the lead's item, not from that of its timeline.
  const versionBefore = (lead?.version ?? 0) - [...ofUse].filter(isState).length;
  const beyond = ofUse.size === 0 ? [] : unused.filter(isState).slice(versionBefore);
  const isWrong = (entry: TimelineEntryItem) =>
    !lead || (isChange(entry) && (entry.at > lead.updatedAt || beyond.includes(entry)));
  for (const entry of unused.filter(isWrong)) await mended.remove(entry);
  if (!lead) return;
  const until = lead.updatedAt;
  const entries = found.entries.filter((entry) => ofUse.has(entry) || !isWrong(entry));
  const known = new Set(found.entries.map(({ sk }) => sk));
  const missing = copy?.entries.filter(({ at, sk }) => at <= until && !known.has(sk)) ?? [];
  const told = [...entries, ...missing].sort((a, b) => (a.sk < b.sk ? -1 : 1));
  for (const entry of [...missing, ...untoldEntries(lead, reference, told)])
    await mended.put(entry);
}

/**
 * Gives a lead the unique items of its phone and its email. If another lead has one of them too, one of the two had given it up when the
 * other got it, and the backup does not have that: that lead comes from the old table, and the next round mends what follows from it. Without
 * the old table, both stay as they are, and the check names them.
 */
export async function claimIdentities(
  mended: MendedTable,
  reference: LeadReference,
): Promise<void> {
  const { table } = mended;
  const lead = await readLeadItem(table, reference);
  for (const key of lead ? identityKeysOf(leadFrom(reference.organizationId, lead)) : []) {
    const holderId = (await getItem(table, key))?.leadId;
    if (holderId === reference.leadId) continue;
    const holder = { ...reference, leadId: holderId ?? reference.leadId };
    if (holderId === undefined || !hasIdentity(holder, await readLeadItem(table, holder), key))
      await mended.put({ ...key, leadId: reference.leadId }, namesNobodyBut(holderId));
    else if (await advanceLead(mended, reference, key)) return;
    else await advanceLead(mended, holder, key);
  }
}

/**
 * Brings a lead to the state of the old table, if it has given up a phone or email there that another lead has in the backup.
 * @returns whether that is so
 */
async function advanceLead(
  mended: MendedTable,
  reference: LeadReference,
  key: PrimaryKey<IdentityItem>,
): Promise<boolean> {
  const found = await readHistory(mended.table, reference);
  const old = mended.old && (await readHistory(mended.old, reference));
  if (!old?.lead || !isComplete(old) || !isSameLead(found, old)) return false;
  if (hasIdentity(reference, old.lead, key)) return false;
  if (found.lead && found.lead.version >= old.lead.version) return false;
  if (entriesOfUse(mended, found, old).size > 0) return false;
  return mended.put(old.lead, asRead(found.lead));
}

const asRead = (lead: LeadItem | undefined): Condition =>
  lead ? hasVersion(lead.version) : isAbsent;

const readLeadItem = (table: Table, { organizationId, leadId }: LeadReference) =>
  getItem(table, leadPrimaryKey(organizationId, leadId));

const hasIdentity = (
  { organizationId }: LeadReference,
  lead: Item | undefined,
  key: PrimaryKey,
): boolean =>
  lead !== undefined &&
  identityKeysOf(leadFrom(organizationId, lead)).some((own) => keyText(own) === keyText(key));

/** A lead's item and its timeline, each as far as the table has it. */
interface LeadHistory {
  readonly lead: Stored<LeadItem> | undefined;
  /** Oldest first. */
  readonly entries: readonly TimelineEntryItem[];
}

/** Consistent: two reads, and one query for each megabyte of the timeline; again if the lead is changed meanwhile. */
async function readHistory(table: Table, reference: LeadReference): Promise<LeadHistory> {
  const { organizationId, leadId } = reference;
  let lead = await readLeadItem(table, reference);
  for (;;) {
    const entries = await readTimelineItems({ table, organizationId }, leadId);
    const after = await readLeadItem(table, reference);
    if (after?.version === lead?.version) return { lead, entries };
    lead = after;
  }
}

/** The entries that were written to the restored table since it was made: neither the backup nor the old table has them. */
function entriesOfUse(
  { restoredAt }: MendedTable,
  { entries }: LeadHistory,
  old: LeadHistory | undefined,
): ReadonlySet<TimelineEntryItem> {
  const known = new Set(old?.entries.map(({ sk }) => sk));
  const writtenAt = (entry: TimelineEntryItem) =>
    Date.parse('importedAt' in entry ? entry.importedAt : entry.at);
  return new Set(entries.filter((entry) => writtenAt(entry) >= restoredAt && !known.has(entry.sk)));
}

/** An ID can be given again to another lead, which an import creates. */
const isSameLead = ({ lead, entries }: LeadHistory, old: LeadHistory): boolean =>
  lead
    ? lead.createdAt === old.lead?.createdAt
    : entries.some((entry) => old.entries.some(({ sk }) => sk === entry.sk));

/** Whether a timeline has an entry for every version of its lead. The old table may have lost some. */
const isComplete = ({ lead, entries }: LeadHistory): boolean =>
  lead?.version === entries.filter(isState).length;

/** The time of the last state on a timeline. An imported lead may have been updated later, elsewhere. */
const toldUntil = ({ entries }: LeadHistory): string => entries.findLast(isState)?.at ?? '';

/** Whether the lead got a version with this entry: each version of a lead has one. */
const isState = (entry: TimelineEntryItem): boolean => isOpening(entry) || isChange(entry);

/**
 * The entries that a timeline lacks to explain its lead. What they say is what the lead and the rest of the timeline tell; the administrator
 * made them. Their keys are fixed, so that a repeat writes the same entries.
 */
function untoldEntries(
  lead: LeadItem,
  { organizationId, leadId }: LeadReference,
  entries: readonly TimelineEntryItem[],
): TimelineEntryItem[] {
  const pk = timelinePartitionKey(organizationId, leadId);
  const { createdAt, updatedAt, archivedAt } = lead;
  const untold: TimelineEntryItem[] = [];
  const isKnown = (key: string) => [...entries, ...untold].some(({ sk }) => sk === key);
  const add = (entry: TimelineEntry, sk: string): void => void untold.push({ pk, sk, ...entry });
  if (!entries.some(isOpening)) {
    const opening = { type: 'lead_created', via: 'import', importedAt: createdAt } as const;
    add({ ...opening, at: createdAt, actorId: null }, `${createdAt}#${firstSuffix}`);
  }
  const versions = () => lead.version - [...entries, ...untold].filter(isState).length;
  const last = entries.findLast(({ type }) => type === 'archived' || type === 'restored');
  const isTold = last?.type === 'archived' && last.at === archivedAt;
  if (archivedAt !== undefined && !isTold && versions() > 0)
    add({ type: 'archived', at: archivedAt, actorId: null }, `${archivedAt}#${lastSuffix}a`);
  if (archivedAt === undefined && last?.type === 'archived' && versions() > 0)
    add({ type: 'restored', at: updatedAt, actorId: null }, `${updatedAt}#${lastSuffix}a`);
  let changes = unexplainedChanges(lead, entries);
  for (let at = 0; versions() > 0; at += 1) {
    const sk = `${updatedAt}#${lastSuffix}${at}`;
    if (isKnown(sk)) continue;
    add({ type: 'lead_updated', via: 'admin', changes, at: updatedAt, actorId: null }, sk);
    changes = [];
  }
  return untold;
}

/** Before and after the random part of every entry of the same millisecond, as `newEntryId` and `newLastEntryId` make it. */
const firstSuffix = '000000000000';
const lastSuffix = 'nrestored';

/** From what the timeline last says of a field, the stage or the pipeline to what the lead has. */
function unexplainedChanges(lead: LeadItem, entries: readonly TimelineEntryItem[]) {
  const told = new Map<string, FieldValue | null>();
  const values = { ...lead.fields, stage: lead.stageId, pipeline: lead.pipelineId };
  for (const entry of entries) {
    if ('changes' in entry) for (const { field, to } of entry.changes) told.set(field, to);
    if ('filled' in entry) for (const field of entry.filled) told.delete(field);
  }
  return [...told].flatMap(([field, from]) => {
    const to = valueOf(values, field);
    return isDeepStrictEqual(from, to) ? [] : [{ field, from, to }];
  });
}
