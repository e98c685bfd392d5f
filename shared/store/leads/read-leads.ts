import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { partsOf } from '../../base/batches.ts';
import type { Lead } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { itemsOf } from '../table/get-item.ts';
import type { Item, TimelineEntryItem } from '../table/items.ts';
import { type PartitionQuery, queryAll, queryPages } from '../table/many-items.ts';
import {
  leadPrimaryKey,
  leadsPartitionKey,
  ownerIndexKey,
  sourceIndexKey,
  stageIndexKey,
  timelinePartitionKey,
  updateIndexKey,
} from '../table/primary-keys.ts';
import { type IndexName, tableDefinition } from '../table/table-definition.ts';
import { leadFrom } from './leads.ts';

async function* leadPages(
  table: Table,
  organizationId: number,
  query?: PartitionQuery,
): AsyncGenerator<Lead[]> {
  const pages = queryPages<Item>(table, leadsPartitionKey(organizationId), query);
  for await (const items of pages) yield items.map((item) => leadFrom(organizationId, item));
}

/**
 * All leads of an organization, including archived ones, by ascending ID, in pages of up to a megabyte. A lead that exists during the whole
 * scan is in exactly one page, in its state when read. Consistent reads, about one read unit per 4 KB of leads.
 * @param after only leads with a higher ID
 */
export const scanLeadsAscending = (
  table: Table,
  organizationId: number,
  after?: number,
): AsyncGenerator<Lead[]> =>
  leadPages(
    table,
    organizationId,
    after === undefined
      ? undefined
      : {
          sortKey: 'sk > :after',
          ExpressionAttributeValues: { ':after': leadPrimaryKey(organizationId, after).sk },
        },
  );

/** The ID of the newest lead, archived or not, which is an upper bound of the number of leads. One read unit for each 4 KB of that lead. */
export async function highestLeadId(table: Table, organizationId: number): Promise<number> {
  const newest = leadPages(table, organizationId, { ScanIndexForward: false, Limit: 1 });
  for await (const [lead] of newest) return lead?.id ?? 0;
  return 0;
}

/** How many leads a query reads at once, if few of them match. */
const readAtOnce = 1000;

interface NewestLeadsQuery {
  readonly limit: number;
  readonly matches: (lead: Lead) => boolean | Promise<boolean>;
  /** Called with the number of leads read so far. */
  readonly onProgress: (leadsRead: number) => void;
}

export interface FoundLeads {
  readonly leads: readonly Lead[];
  /** Whether more leads match than the limit. */
  readonly more: boolean;
}

/** The newest leads that match. Reads leads, newest first, until it has found `limit` or read all. Consistent. */
export async function newestLeads(
  table: Table,
  organizationId: number,
  { limit, matches, onProgress }: NewestLeadsQuery,
): Promise<FoundLeads> {
  const pages = leadPages(table, organizationId, {
    ScanIndexForward: false,
    Limit: readAtOnce,
  });
  const leads: Lead[] = [];
  let leadsRead = 0;
  for await (const page of pages) {
    for (const part of partsOf(page, readsInParallel)) {
      const areFound = await Promise.all(part.map(matches));
      leads.push(...part.filter((_, index) => areFound[index]));
    }
    leadsRead += page.length;
    onProgress(leadsRead);
    if (leads.length > limit) break;
  }
  return { leads: leads.slice(0, limit), more: leads.length > limit };
}

/** Counts leads in any of the stages, of the owner, from the source, and changed since a time. An omitted filter matches all leads. */
interface CountedLeads {
  readonly stageIds?: readonly number[] | undefined;
  readonly ownerId?: number | undefined;
  readonly sourceId?: number | undefined;
  /** Epoch milliseconds. */
  readonly updatedSince?: number | undefined;
}

/**
 * The number of an organization's leads that are not archived. Eventually consistent: half a read unit per 40 leads or so, in each index
 * that must be read.
 */
export async function countLeads(
  { table, organizationId: id }: OrganizationTable,
  { stageIds, ownerId, sourceId, updatedSince }: CountedLeads,
): Promise<number> {
  const lists: [index: IndexName, partitions: readonly string[], since?: string][] = [];
  if (stageIds) lists.push(['leadsByStage', stageIds.map((stageId) => stageIndexKey(id, stageId))]);
  if (ownerId !== undefined) lists.push(['leadsByOwner', [ownerIndexKey(id, ownerId)]]);
  if (sourceId !== undefined) lists.push(['leadsBySource', [sourceIndexKey(id, sourceId)]]);
  if (lists.length === 0 || updatedSince !== undefined)
    lists.push(['leadsByUpdate', [updateIndexKey(id)], new Date(updatedSince ?? 0).toISOString()]);
  let counted: ReadonlySet<string> | undefined;
  for (const [index, partitions, since] of lists) {
    const listed = new Set<string>();
    for (const partition of partitions)
      for await (const sk of indexEntries(table, index, partition, since))
        if (counted?.has(sk) !== false) listed.add(sk);
    counted = listed;
  }
  return counted?.size ?? 0;
}

/** The sort keys of the leads in an index. */
async function* indexEntries(
  { client, name: TableName }: Table,
  IndexName: IndexName,
  partition: string,
  since?: string,
): AsyncGenerator<string> {
  const partitionKey = tableDefinition.indexes.find(({ name }) => name === IndexName)?.partitionKey;
  const query = {
    TableName,
    IndexName,
    KeyConditionExpression: `${partitionKey} = :partition${since === undefined ? '' : ' AND updatedAt >= :since'}`,
    ExpressionAttributeValues: {
      ':partition': partition,
      ...(since !== undefined && { ':since': since }),
    },
    ProjectionExpression: 'sk',
  };
  for await (const { Items } of paginateQuery({ client }, query))
    for (const { sk } of itemsOf<{ readonly sk: string }>(Items)) yield sk;
}

interface LeadTimeline {
  readonly leadId: number;
  /** Oldest first, each with its sort key, which is unique on this timeline and never changes. */
  readonly entries: readonly { readonly id: string; readonly entry: TimelineEntry }[];
}

/** How many timelines are read in parallel. */
const readsInParallel = 32;

/**
 * The timelines of an organization's leads, including archived ones, by ascending lead ID. Consistent reads: a read unit for each 4 KB of
 * leads, and at least one for each timeline.
 * @param since ISO 8601, UTC: only entries at or after this time. For an imported entry, the time of the import counts, because its own
 * time is in the past. For an entry from which an erasure removed a person, the time of the erasure counts too.
 * @param isOf the leads whose timelines are read
 */
export async function* scanTimelines(
  table: Table,
  organizationId: number,
  since?: string,
  isOf: (lead: Lead) => boolean = () => true,
): AsyncGenerator<LeadTimeline[]> {
  const read = async ({ id: leadId }: Lead) => ({
    leadId,
    entries: await readEntries(table, timelinePartitionKey(organizationId, leadId), since),
  });
  yield* ofEachLead(table, organizationId, read, isOf);
}

/** Reads something for each lead, including archived ones, by ascending ID, and for many leads in parallel. */
async function* ofEachLead<T>(
  table: Table,
  organizationId: number,
  read: (lead: Lead) => Promise<T>,
  isOf: (lead: Lead) => boolean = () => true,
): AsyncGenerator<T[]> {
  for await (const leads of scanLeadsAscending(table, organizationId))
    for (const part of partsOf(leads.filter(isOf), readsInParallel))
      yield await Promise.all(part.map(read));
}

async function readEntries(
  table: Table,
  timeline: string,
  since: string | undefined,
): Promise<LeadTimeline['entries']> {
  const items = await queryAll<TimelineEntryItem>(table, timeline, {
    ...(since !== undefined && {
      FilterExpression:
        '#at >= :since OR importedAt >= :since OR cleanedAt >= :since OR #type = :erased',
      ExpressionAttributeNames: { '#at': 'at', '#type': 'type' },
      ExpressionAttributeValues: { ':since': since, ':erased': 'erased' },
    }),
  });
  // The lead is being erased: the audit log says so, and the rest of the timeline no longer belongs to anyone. A clock that is ahead may
  // have dated another item after this one.
  if (items.some(({ type }) => type === 'erased')) return [];
  return items.map(({ pk: _pk, sk: id, ...entry }) => ({ id, entry }));
}

/**
 * Whether a lead has neither changed nor got a timeline entry since a time. For an imported lead, the times in its file count. A consistent
 * read of at most one unit.
 * @param since ISO 8601, UTC
 */
async function isInactive(
  { table, organizationId }: OrganizationTable,
  { id, updatedAt }: Lead,
  since: string,
): Promise<boolean> {
  if (updatedAt >= since) return false;
  const pages = queryPages(table, timelinePartitionKey(organizationId, id), {
    sortKey: 'sk >= :since',
    ExpressionAttributeValues: { ':since': since },
    ProjectionExpression: 'sk',
    Limit: 1,
  });
  for await (const entries of pages) if (entries.length > 0) return false;
  return true;
}

/** The inactive leads, by ascending ID. Consistent reads: a read unit for each 4 KB of leads, and up to one for each lead's timeline. */
export async function* inactiveLeads(
  scope: OrganizationTable,
  since: string,
  { onlyArchived }: { readonly onlyArchived: boolean },
): AsyncGenerator<number> {
  const ifInactive = async (lead: Lead): Promise<number[]> =>
    (!onlyArchived || lead.archivedAt !== undefined) && (await isInactive(scope, lead, since))
      ? [lead.id]
      : [];
  for await (const inactive of ofEachLead(scope.table, scope.organizationId, ifInactive))
    yield* inactive.flat();
}
