import { isDeepStrictEqual } from 'node:util';
import { type FieldValue, valueOf } from '../../../leads/lead.ts';
import type { TimelineEntry } from '../../../leads/timeline.ts';
import { identityOf, identityPrimaryKeys } from '../../leads/identities.ts';
import { leadFrom } from '../../leads/leads.ts';
import { readTimelineItems } from '../../leads/timeline.ts';
import type { Table } from '../../table/client.ts';
import { getItem } from '../../table/get-item.ts';
import type { IdentityItem, Item, LeadItem, Stored, TimelineEntryItem } from '../../table/items.ts';
import {
  keyText,
  leadPrimaryKey,
  type PrimaryKey,
  timelinePartitionKey,
} from '../../table/primary-keys.ts';

export interface LeadReference {
  readonly organizationId: number;
  readonly leadId: number;
}

export const nameOf = ({ organizationId, leadId }: LeadReference): string =>
  `${organizationId} ${leadId}`;

/** Of anything that names a lead, only that. */
export const referenceOf = ({ organizationId, leadId }: LeadReference): LeadReference => ({
  organizationId,
  leadId,
});

/** An item that exists for a lead, such as a unique phone. */
export interface LeadPart extends LeadReference {
  readonly key: PrimaryKey;
}

export const readLeadItem = (table: Table, { organizationId, leadId }: LeadReference) =>
  getItem(table, leadPrimaryKey(organizationId, leadId));

/** The keys of a lead's unique phone and email. */
export const identityKeysOf = (organizationId: number, lead: Item): PrimaryKey<IdentityItem>[] =>
  identityPrimaryKeys(identityOf(leadFrom(organizationId, lead)));

/** Whether a lead has the phone or email of a unique item. */
export const holdsIdentity = (
  { organizationId, key }: Omit<LeadPart, 'leadId'>,
  lead: Item | undefined,
): boolean =>
  lead !== undefined &&
  identityKeysOf(organizationId, lead).some((own) => keyText(own) === keyText(key));

/** A lead's item and its timeline, each as far as the table has it. */
export interface LeadHistory {
  readonly lead: Stored<LeadItem> | undefined;
  /** Oldest first. */
  readonly entries: readonly TimelineEntryItem[];
}

/** Consistent: one read, and one query for each megabyte of the timeline. */
export async function readHistory(table: Table, reference: LeadReference): Promise<LeadHistory> {
  const { organizationId, leadId } = reference;
  const lead = await readLeadItem(table, reference);
  const entries = await readTimelineItems({ table, organizationId }, leadId);
  return { lead, entries };
}

export const isOpening = ({ type }: Pick<TimelineEntryItem, 'type'>): boolean =>
  type === 'lead_created' || type === 'captured_new';

/** Whether the lead got a version with this entry: each version of a lead has one. */
export const isState = (entry: TimelineEntryItem): boolean =>
  isOpening(entry) ||
  ['lead_updated', 'archived', 'restored'].includes(entry.type) ||
  (entry.type === 'captured' && entry.filled.length > 0);

/** Whether an entry tells of a change that is later than the lead's last one. */
export const isBeyond = (entry: TimelineEntryItem, updatedAt: string): boolean =>
  isState(entry) && !isOpening(entry) && entry.at > updatedAt;

/**
 * The entries that a timeline lacks to explain its lead. What they say is what the lead and the rest of the timeline tell; the administrator made
 * them. Their keys are fixed, so that a repeat writes the same entries.
 */
export function missingEntries(
  lead: LeadItem,
  { organizationId, leadId }: LeadReference,
  entries: readonly TimelineEntryItem[],
): TimelineEntryItem[] {
  const pk = timelinePartitionKey(organizationId, leadId);
  const { createdAt, updatedAt, archivedAt } = lead;
  const missing: TimelineEntryItem[] = [];
  const add = (sk: string, entry: TimelineEntry): void => void missing.push({ pk, sk, ...entry });
  if (!entries.some(isOpening)) {
    const opening = { type: 'lead_created', via: 'import', importedAt: createdAt } as const;
    add(`${createdAt}#${firstSuffix}`, { ...opening, at: createdAt, actorId: null });
  }
  const untold = () => lead.version - [...entries, ...missing].filter(isState).length;
  const last = entries.findLast(({ type }) => type === 'archived' || type === 'restored');
  const isTold = last?.type === 'archived' && last.at === archivedAt;
  if (archivedAt !== undefined && !isTold && untold() > 0)
    add(`${archivedAt}#${lastSuffix}a`, { type: 'archived', at: archivedAt, actorId: null });
  if (archivedAt === undefined && last?.type === 'archived' && untold() > 0)
    add(`${updatedAt}#${lastSuffix}a`, { type: 'restored', at: updatedAt, actorId: null });
  const changes = unexplainedChanges(lead, entries);
  const updates = untold();
  for (let at = 0; at < updates; at += 1)
    add(`${updatedAt}#${lastSuffix}${at}`, {
      ...{ type: 'lead_updated', via: 'admin', changes: at === 0 ? changes : [] },
      ...{ at: updatedAt, actorId: null },
    });
  return missing;
}

/** Before and after the random part of every entry of the same millisecond, as `newEntryId` and `newLastEntryId` make it. */
const firstSuffix = '000000000000';
const lastSuffix = 'nrestored';

/** From what the timeline last says of a field, the stage or the pipeline to what the lead has. */
function unexplainedChanges(lead: LeadItem, entries: readonly TimelineEntryItem[]) {
  const told = new Map<string, FieldValue | null>();
  for (const entry of entries) {
    if ('changes' in entry) for (const { field, to } of entry.changes) told.set(field, to);
    if ('filled' in entry) for (const field of entry.filled) told.delete(field);
  }
  return [...told].flatMap(([field, from]) => {
    const to =
      { stage: lead.stageId, pipeline: lead.pipelineId }[field] ?? valueOf(lead.fields, field);
    return isDeepStrictEqual(from, to) ? [] : [{ field, from, to }];
  });
}
