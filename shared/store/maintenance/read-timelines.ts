import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { TimelineEntry } from '../../leads/timeline.ts';
import type { Table } from '../table/client.ts';
import { itemsOf } from '../table/get-item.ts';
import type { TimelineEntryItem } from '../table/items.ts';
import { timelinePartitionKey } from '../table/primary-keys.ts';
import { scanLeadsAscending } from './read-leads.ts';

/** An entry with its sort key, which no other entry of the lead has, and which never changes. */
export interface StoredEntry {
  readonly id: string;
  readonly entry: TimelineEntry;
}

export interface LeadTimeline {
  readonly leadId: number;
  /** Oldest first. */
  readonly entries: readonly StoredEntry[];
}

/** Timelines that are read in parallel. */
const readsInParallel = 32;

/**
 * The timelines of an organization's leads, archived ones too, by ascending lead ID. Consistent reads: a read unit for each 4 KB of leads,
 * and for each lead at least one unit, more if its timeline is larger than 4 KB.
 * @param since ISO 8601, UTC: only entries at or after it. An imported entry counts by the time of the import, because its own time is in
 * the past; an entry from which an erasure removed a person, also by the time of that.
 */
export async function* scanTimelines(
  table: Table,
  organizationId: number,
  since?: string,
): AsyncGenerator<LeadTimeline[]> {
  const pages = scanLeadsAscending(table, organizationId, { withArchived: true });
  for await (const leads of pages) {
    for (let from = 0; from < leads.length; from += readsInParallel) {
      yield await Promise.all(
        leads.slice(from, from + readsInParallel).map(async ({ id: leadId }) => ({
          leadId,
          entries: await readEntries(table, timelinePartitionKey(organizationId, leadId), since),
        })),
      );
    }
  }
}

async function readEntries(
  table: Table,
  timeline: string,
  since: string | undefined,
): Promise<StoredEntry[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :timeline',
      ...(since !== undefined && {
        FilterExpression:
          '#at >= :since OR importedAt >= :since OR cleanedAt >= :since OR #type = :erased',
        ExpressionAttributeNames: { '#at': 'at', '#type': 'type' },
      }),
      ExpressionAttributeValues: {
        ':timeline': timeline,
        ...(since !== undefined && { ':since': since, ':erased': 'erased' }),
      },
      ConsistentRead: true,
    },
  );
  const entries: StoredEntry[] = [];
  for await (const { Items } of pages) {
    for (const { pk: _pk, sk: id, ...entry } of itemsOf<TimelineEntryItem>(Items))
      entries.push({ id, entry });
  }
  // The lead is being erased: the audit log says so, and what is left of the timeline is nobody's any more. A clock that is ahead may have
  // dated another item behind this one.
  return entries.some(({ entry }) => entry.type === 'erased') ? [] : entries;
}
