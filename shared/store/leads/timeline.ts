import { randomBytes } from 'node:crypto';
import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../leads/lead.ts';
import { fitEntry, type TimelineEntry } from '../../leads/timeline.ts';
import { valuesDigestOf } from '../../leads/timeline-replay.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { itemsOf } from '../table/get-item.ts';
import type { TimelineEntryItem } from '../table/items.ts';
import { timelinePartitionKey } from '../table/primary-keys.ts';
import { putIfAbsent, type TransactItem } from '../table/transact.ts';

/** The sort key of a new entry. The random part separates entries of the same millisecond. */
export const newEntryId = (at: string): string => `${at}#${randomBytes(6).toString('hex')}`;

/** The sort key of a new entry that follows those of the same millisecond: a letter after those of hexadecimal digits. */
export const newLastEntryId = (at: string): string => `${at}#n${randomBytes(6).toString('hex')}`;

/** Part of a transaction: adds an entry to a lead's timeline. */
export const putTimelineEntry = (
  table: Table,
  lead: Pick<Lead, 'organizationId' | 'id'>,
  entry: TimelineEntry,
  id = newEntryId(entry.at),
): TransactItem =>
  putIfAbsent(table, {
    pk: timelinePartitionKey(lead.organizationId, lead.id),
    sk: id,
    ...fitEntry(entry),
  });

/**
 * Part of a transaction: adds the entry with which the lead got its values, so that `check` finds values that changed without an entry.
 * @param lead as it is after the change
 */
export const putChangeEntry = (
  table: Table,
  lead: Lead,
  entry: TimelineEntry,
  id?: string,
): TransactItem =>
  putTimelineEntry(table, lead, { ...entry, valuesDigest: valuesDigestOf(lead) }, id);

/** A lead's timeline, oldest first. Consistent reads, one query for each megabyte. */
export async function readTimeline(
  table: Table,
  organizationId: number,
  leadId: number,
): Promise<TimelineEntry[]> {
  const items = await readTimelineItems({ table, organizationId }, leadId);
  return items.map(({ pk: _pk, sk: _sk, ...entry }) => entry);
}

/** As `readTimeline`, with the entries' keys. @param at only the entries of this moment */
export async function readTimelineItems(
  { table, organizationId }: OrganizationTable,
  leadId: number,
  at?: string,
): Promise<TimelineEntryItem[]> {
  const items: TimelineEntryItem[] = [];
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: `pk = :timeline${at === undefined ? '' : ' AND begins_with(sk, :at)'}`,
      ExpressionAttributeValues: {
        ':timeline': timelinePartitionKey(organizationId, leadId),
        ...(at !== undefined && { ':at': `${at}#` }),
      },
      ConsistentRead: true,
    },
  );
  for await (const { Items } of pages) items.push(...itemsOf<TimelineEntryItem>(Items));
  return items;
}
