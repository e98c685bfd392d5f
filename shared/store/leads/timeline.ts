import { randomBytes } from 'node:crypto';
import { changeTimeOf } from '../../leads/changes.ts';
import type { Lead } from '../../leads/lead.ts';
import { fitEntry, type TimelineEntry } from '../../leads/timeline.ts';
import { valuesDigestOf } from '../../leads/timeline-replay.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import type { TimelineEntryItem } from '../table/items.ts';
import { queryAll } from '../table/many-items.ts';
import { leadPrimaryKey, timelinePartitionKey } from '../table/primary-keys.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { putIfAbsent, type Write } from '../table/writes.ts';
import { countEntryAt } from './leads.ts';

/** The sort key of a new entry. The random part distinguishes entries of the same millisecond. */
export const newEntryId = (at: string): string => `${at}#${randomBytes(6).toString('hex')}`;

/** The sort key of a new entry that sorts after other entries of the same millisecond, because `n` follows the hexadecimal digits. */
export const newLastEntryId = (at: string): string => `${at}#n${randomBytes(6).toString('hex')}`;

/** Part of a transaction: adds an entry to a lead's timeline. */
export const putTimelineEntry = (
  lead: Pick<Lead, 'organizationId' | 'id'>,
  entry: TimelineEntry,
  id = newEntryId(entry.at),
): Write =>
  putIfAbsent({
    pk: timelinePartitionKey(lead.organizationId, lead.id),
    sk: id,
    ...fitEntry(entry),
  });

/**
 * Part of a transaction: adds the entry of a change, with a digest of the lead's values. So `check` finds values that changed without an
 * entry.
 * @param lead the lead after the change
 */
export const putChangeEntry = (lead: Lead, entry: TimelineEntry): Write =>
  putTimelineEntry(lead, { ...entry, valuesDigest: valuesDigestOf(lead) });

/**
 * Adds an entry to the timeline of a lead, archived or not, dated now but always after the lead's last change. One transaction of 2 items
 * and no read. If this function's clock is behind the lead's last change, a second transaction follows.
 * @returns the entry's time; undefined if there is no such lead
 * @throws ContentionError
 */
export async function addToTimeline(
  table: Table,
  organizationId: number,
  leadId: number,
  entryAt: (at: string) => TimelineEntry,
): Promise<string | undefined> {
  let at = new Date().toISOString();
  return retryOnConflict<string | undefined>(async () => {
    const written = await transact(table, [
      countEntryAt(organizationId, leadId, at),
      putTimelineEntry({ organizationId, id: leadId }, entryAt(at)),
    ]);
    if (written.outcome === 'written') return at;
    if (written.outcome === 'refused') {
      const lead = written.existing.get(leadPrimaryKey(organizationId, leadId));
      if (!lead) return undefined;
      at = changeTimeOf(lead, new Date());
    }
    return conflict;
  });
}

/** A lead's timeline, oldest first. Consistent reads, one query for each megabyte. */
export async function readTimeline(
  table: Table,
  organizationId: number,
  leadId: number,
): Promise<TimelineEntry[]> {
  const items = await readTimelineItems({ table, organizationId }, leadId);
  return items.map(({ pk: _pk, sk: _sk, ...entry }) => entry);
}

/** Like `readTimeline`, with the entries' keys. */
export const readTimelineItems = (
  { table, organizationId }: OrganizationTable,
  leadId: number,
): Promise<TimelineEntryItem[]> => queryAll(table, timelinePartitionKey(organizationId, leadId));
