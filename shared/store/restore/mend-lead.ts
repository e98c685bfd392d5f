import { isDeepStrictEqual } from 'node:util';
import { type FieldValue, valueOf } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import {
  type Explained,
  explainedBy,
  isChange,
  isOpening,
  TimelineReplay,
  unexplainedParts,
} from '../../leads/timeline-replay.ts';
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
 * Makes a lead and its timeline agree: an entry for each version, and every value explained. If the old table has the newest state of both,
 * copies what is missing. Otherwise the lead decides. Entries of later changes are removed. Missing entries are copied, or derived from the
 * lead's values. If the lead itself is missing, its timeline is removed. Notes and enquiries stay, even if the version does not count them.
 * Does nothing to an intact lead. If the restored table is already in use, newer writes to it are never removed or overwritten.
 */
export async function mendLead(mended: MendedTable, reference: LeadReference): Promise<void> {
  const found = await readHistory(mended.table, reference);
  const old = mended.old && (await readHistory(mended.old, reference));
  const ofUse = entriesOfUse(mended, found, old);
  const copy = old && isSameLead(found, old) && ofUse.size === 0 ? old : undefined;
  const isCopied =
    copy?.lead &&
    isComplete(copy) &&
    toldUntil(copy) <= toldUntil(found) &&
    (found.lead?.updatedAt ?? '') < copy.lead.updatedAt;
  const lead = isCopied ? copy.lead : found.lead;
  const unused = found.entries.filter((entry) => !ofUse.has(entry));
  if (!lead) {
    for (const entry of unused) await mended.remove(entry);
    return;
  }
  // Requests since the restore continued from the state of the lead's item, not of its timeline.
  const beyond = ofUse.size === 0 ? [] : unused.slice(lead.version - ofUse.size);
  const wrong = unused.filter(
    (entry) => isChange(entry) && (entry.at > lead.updatedAt || beyond.includes(entry)),
  );
  const kept = found.entries.filter((entry) => !wrong.includes(entry));
  const known = new Set(found.entries.map(({ sk }) => sk));
  const unknown = copy?.entries.filter(({ sk }) => !known.has(sk)) ?? [];
  const missing = unknown.filter(({ at }) => at <= lead.updatedAt);
  const later = unknown.filter((entry) => entry.at > lead.updatedAt && !isChange(entry));
  const counted = isCopied ? 0 : Math.max(0, lead.version - kept.length - missing.length);
  const told = [...kept, ...missing, ...later.slice(0, counted)].sort(bySortKey);
  const untold = untoldEntries(lead, reference, told);
  const whole = { ...lead, version: told.length + untold.length };
  if (!isDeepStrictEqual(whole, found.lead) && !(await mended.put(whole, asRead(found.lead))))
    return; // the table is in use; the next round reads it again
  for (const entry of wrong) await mended.remove(entry);
  for (const entry of [...told, ...untold]) if (!known.has(entry.sk)) await mended.put(entry);
}

const bySortKey = (a: TimelineEntryItem, b: TimelineEntryItem): number => (a.sk < b.sk ? -1 : 1);

/**
 * Gives a lead the identity items of its phone and its email. If another lead has the same phone or email, one of the two must have given
 * it up, but the backup missed that change. That lead is copied from the old table, and the next round repairs the consequences. Without
 * the old table, both stay unchanged, and the check reports them.
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
 * Copies a lead's state from the old table, if it gave up a phone or email there that another lead has in the backup.
 * @returns whether it did
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
  if (found.lead && found.lead.updatedAt >= old.lead.updatedAt) return false;
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
  identityKeysOf(leadFrom(organizationId, lead)).some((each) => keyText(each) === keyText(key));

/** A lead's item and its timeline, as far as the table has them. */
interface LeadHistory {
  readonly lead: Stored<LeadItem> | undefined;
  /** Oldest first. */
  readonly entries: readonly TimelineEntryItem[];
}

/** Consistent: two reads, and one query for each megabyte of the timeline, repeated if the lead changes meanwhile. */
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

/** The entries that were written to the restored table since its creation, which neither the backup nor the old table has. */
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

/** Whether two histories belong to the same lead: an import can assign an ID again to another lead. */
const isSameLead = ({ lead, entries }: LeadHistory, old: LeadHistory): boolean =>
  lead
    ? lead.createdAt === old.lead?.createdAt
    : entries.some((entry) => old.entries.some(({ sk }) => sk === entry.sk));

/** Whether no entries are missing: the old table may have lost some. */
const isComplete = ({ lead, entries }: LeadHistory): boolean => lead?.version === entries.length;

/** The time of the last state on a timeline. An imported lead may have been updated later in the system that it came from. */
const toldUntil = ({ entries }: LeadHistory): string => entries.findLast(isState)?.at ?? '';

/** Whether this entry set values of the lead. */
const isState = (entry: TimelineEntryItem): boolean => isOpening(entry) || isChange(entry);

/**
 * The entries that a timeline lacks to explain its lead. They are derived from the lead and the rest of the timeline, and name the
 * administrator. Their keys are fixed, so that a repeat writes the same entries.
 */
function untoldEntries(
  item: LeadItem,
  { organizationId, leadId }: LeadReference,
  entries: readonly TimelineEntryItem[],
): TimelineEntryItem[] {
  const pk = timelinePartitionKey(organizationId, leadId);
  const { createdAt, updatedAt, archivedAt } = item;
  const lead = explainedBy(leadFrom(organizationId, item));
  const untold: TimelineEntryItem[] = [];
  const add = (entry: TimelineEntry, sk: string): void => void untold.push({ pk, sk, ...entry });
  const isUntold = (...parts: (keyof Explained)[]): boolean => {
    const replay = new TimelineReplay();
    for (const entry of [...entries, ...untold].sort(bySortKey)) replay.add(entry);
    return unexplainedParts(lead, replay.explained, (value) => value).some((part) =>
      parts.includes(part),
    );
  };
  if (!entries.some(isOpening)) {
    const opening = { type: 'lead_created', via: 'import', importedAt: createdAt } as const;
    add({ ...opening, at: createdAt, actorId: null }, `${createdAt}#${firstSuffix}`);
  }
  if (isUntold('archivedAt'))
    add(
      { type: archivedAt ? 'archived' : 'restored', at: archivedAt ?? updatedAt, actorId: null },
      `${archivedAt ?? updatedAt}#${lastSuffix}a`,
    );
  if (isUntold('updatedAt', 'valuesDigest')) {
    const changes = unexplainedChanges(item, entries);
    const entry = { type: 'lead_updated', via: 'admin', changes, actorId: null } as const;
    add({ ...entry, at: updatedAt }, `${updatedAt}#${lastSuffix}0`);
  }
  return untold;
}

/** Suffixes that sort before and after those of `newEntryId` and `newLastEntryId`. */
const firstSuffix = '000000000000';
const lastSuffix = 'nrestored';

/** The changes from the timeline's last value of each field, stage and pipeline to the lead's own value. */
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
