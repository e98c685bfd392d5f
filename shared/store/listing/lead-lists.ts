import type { Lead } from '../../leads/lead.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { bytesPerReadUnit } from '../table/consumed-capacity.ts';
import { ownerIndexKey, sourceIndexKey, stageIndexKey } from '../table/primary-keys.ts';
import type { IndexName } from '../table/table-definition.ts';
import {
  type ChangedLeads,
  changedLeadsMax,
  justChangedIds,
  readChangedLeads,
} from './changed-leads.ts';
import {
  aboveAllIds,
  allOfIds,
  anyOfIds,
  indexEntryBytes,
  indexIds,
  type LeadIds,
  listedIds,
} from './lead-ids.ts';
import {
  type LeadChunk,
  type LeadPage,
  type LeadReader,
  leadsByIds,
  type PageQuery,
  readLeadPage,
  readOn,
} from './lead-pages.ts';
import { scanLeads } from './lead-scan.ts';
import { PageBudget } from './page-budget.ts';

/** The filters of a list that an index supports. `matches` checks each of them on the lead too. */
export interface LeadQuery extends PageQuery {
  readonly organizationId: number;
  /** Leads in any of these stages; a filter by pipeline lists its stages. */
  readonly stageIds: readonly number[] | undefined;
  readonly ownerId: number | undefined;
  readonly sourceId: number | undefined;
  /** Epoch milliseconds. */
  readonly updatedSince: number | undefined;
}

/** The budget of a page, whichever is spent first (design, section 5). */
const pageMaxBytes = 4_000_000;
const pageMaxMs = 1000;

/**
 * One page of an organization's leads, at a cost bounded by the page. Without a filter by id, the leads are scanned; with such filters,
 * their index lists are intersected and the leads are fetched by id. A filter by time of change adds the ids of the changed leads, where
 * that costs less: each page decides once, by what its first read shows.
 */
export async function listLeads(table: Table, query: LeadQuery): Promise<LeadPage> {
  const budget = new PageBudget(pageMaxBytes, pageMaxMs);
  const own = { table, organizationId: query.organizationId };
  return readLeadPage(await planReader(own, query, budget), query, budget);
}

async function planReader(
  own: OrganizationTable,
  query: LeadQuery,
  budget: PageBudget,
): Promise<LeadReader> {
  const { stageIds, updatedSince } = query;
  if (stageIds?.length === 0) return leadsByIds(own, listedIds([]), budget); // a stage of another pipeline: no lead is in both
  const lists = indexLists(own, query, budget);
  if (lists.length === 0) {
    return updatedSince === undefined
      ? scanLeads(own, budget)
      : changedLeads(own, { ...query, updatedSince }, budget);
  }
  const justChanged = justChangedIds(own, budget);
  const joinedWith = (...more: LeadIds[]): LeadReader =>
    leadsByIds(own, allOfIds([...lists, ...more], budget), budget, justChanged);
  return updatedSince === undefined
    ? joinedWith()
    : changedAmong(own, joinedWith, { ...query, updatedSince }, budget);
}

function indexLists(
  { table, organizationId }: OrganizationTable,
  { stageIds, ownerId, sourceId, limit, updatedSince }: LeadQuery,
  budget: PageBudget,
): LeadIds[] {
  const partitions: [index: IndexName, values: string[]][] = [];
  if (stageIds)
    partitions.push(['leadsByStage', stageIds.map((id) => stageIndexKey(organizationId, id))]);
  if (ownerId !== undefined)
    partitions.push(['leadsByOwner', [ownerIndexKey(organizationId, ownerId)]]);
  if (sourceId !== undefined)
    partitions.push(['leadsBySource', [sourceIndexKey(organizationId, sourceId)]]);
  const isSingle = partitions.length === 1 && updatedSince === undefined;
  // A single list is read only as far as the page; an intersection usually reads on.
  const firstChunk = isSingle ? limit + 1 : Math.max(limit + 1, 100);
  return partitions.map(([index, values]) =>
    anyOfIds(values.map((value) => indexIds(table, { index, value, firstChunk }, budget))),
  );
}

/** Up to this many ids of changed leads are read before anything is known of the leads. */
const fewUpdates = 1000;

type ChangeQuery = LeadQuery & { readonly updatedSince: number };

/**
 * For a list only by update time: fetches the changed leads by id, or scans all leads where that costs less. While the ids are still being
 * read, which can take several pages, the leads are scanned.
 */
async function changedLeads(
  own: OrganizationTable,
  { cursor = aboveAllIds, limit, updatedSince }: ChangeQuery,
  budget: PageBudget,
): Promise<LeadReader> {
  const scan = scanLeads(own, budget);
  let first: LeadChunk | undefined;
  let changed = await readChangedLeads(own, updatedSince, fewUpdates, budget);
  if (!changed.isComplete) {
    first = await scan(cursor, limit + 1);
    const { leads } = first;
    const matching = leads.filter(({ updatedAt }) => Date.parse(updatedAt) >= updatedSince);
    if (2 * matching.length >= leads.length) return readOn(first, scan);
    changed = await readChangedLeads(own, updatedSince, changedLeadsMax, budget);
  }
  if (!changed.isComplete) return readOn(first, scan);
  // No lead above the highest changed one has changed.
  const start = Math.min(cursor, (changed.ids[0] ?? 0) + 1);
  const left = changed.ids.filter((leadId) => leadId < start).length;
  if (left * scannedPerFetched(changed) <= start)
    return leadsByIds(own, listedIds(changed.ids), budget);
  return readOn(first, (below, requested) => scan(Math.min(below, start), requested));
}

const usualLeadBytes = 800;

function meanBytes({ ids, largeKb }: ChangedLeads): number {
  const large = [...largeKb.values()].reduce((sum, kb) => sum + 1000 * kb, 0);
  return (large + usualLeadBytes * (ids.length - largeKb.size)) / Math.max(1, ids.length);
}

/** How many leads a scan reads for the price of one fetched by id, which costs at least a read unit. */
const scannedPerFetched = (changed: ChangedLeads): number =>
  Math.max(1, bytesPerReadUnit / Math.max(1, meanBytes(changed)));

/**
 * For a list by update time and by ids: fetches the changed leads, or joins the lists with them where that costs less, which the page's first
 * leads show. While the ids of the changed leads are still being read, the lists are read without them.
 */
async function changedAmong(
  own: OrganizationTable,
  joinedWith: (...more: LeadIds[]) => LeadReader,
  query: ChangeQuery,
  budget: PageBudget,
): Promise<LeadReader> {
  const { cursor = aboveAllIds, limit, updatedSince } = query;
  const changed = await readChangedLeads(own, updatedSince, changedLeadsMax, budget);
  if (!changed.isComplete) return joinedWith();
  const joined = joinedWith(listedIds(changed.ids));
  // Leads of more than a read unit are better not fetched for nothing.
  if (meanBytes(changed) > bytesPerReadUnit) return joined;
  const fetched = leadsByIds(own, listedIds(changed.ids), budget);
  const first = await fetched(cursor, limit + 1);
  return readOn(first, isCheaperJoined(changed, first.leads, query) ? joined : fetched);
}

/** Entries of an index that are read for the price of a lead fetched by id: an index is read at half the price of the table. */
const entriesPerLead = (2 * bytesPerReadUnit) / indexEntryBytes;

const idsPerChanged = ({ ids }: ChangedLeads): number =>
  (ids[0] ?? Number.POSITIVE_INFINITY) / ids.length;

/**
 * Whether the lists tell which changed leads to fetch for less than it costs to fetch them all: where changed leads lie far apart, a long
 * list has hundreds of entries between two of them.
 * @param leads the changed leads of the first page, taken as a sample of all changed leads
 */
function isCheaperJoined(
  changed: ChangedLeads,
  leads: readonly Lead[],
  { stageIds, ownerId, sourceId }: LeadQuery,
): boolean {
  const listed = leads.filter(
    (lead) =>
      stageIds?.includes(lead.stageId) !== false &&
      (ownerId === undefined || lead.fields.assigned_to === ownerId) &&
      (sourceId === undefined || lead.fields.source === sourceId),
  ).length;
  return listed * idsPerChanged(changed) < (leads.length - listed) * entriesPerLead;
}
