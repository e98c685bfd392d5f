import type { Lead } from '../../leads/lead.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { ownerIndexKey, sourceIndexKey, stageIndexKey } from '../table/primary-keys.ts';
import { bytesPerReadUnit } from '../table/read-units.ts';
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
  withUncertain,
} from './lead-ids.ts';
import {
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
  return readLeadPage(await planReader(table, query, budget), query, budget);
}

async function planReader(table: Table, query: LeadQuery, budget: PageBudget): Promise<LeadReader> {
  const { organizationId, updatedSince } = query;
  const own = { table, organizationId };
  const lists = indexLists(table, query, budget);
  if (updatedSince !== undefined && query.stageIds?.length !== 0) {
    const changeQuery = { ...query, updatedSince };
    return lists.length === 0
      ? changedLeads(own, changeQuery, budget)
      : changedAmong(own, lists, changeQuery, budget);
  }
  return lists.length === 0
    ? scanLeads(own, budget)
    : leadsByIds(own, allOfIds(lists, budget), budget);
}

function indexLists(
  table: Table,
  { organizationId, stageIds, ownerId, sourceId, limit, updatedSince }: LeadQuery,
  budget: PageBudget,
): LeadIds[] {
  if (stageIds?.length === 0) return [listedIds([])]; // a stage of another pipeline: no lead is in both
  const filters = [stageIds, ownerId, sourceId, updatedSince].filter(
    (filter) => filter !== undefined,
  ).length;
  // A single list is read only as far as the page; an intersection usually reads on.
  const firstChunk = filters === 1 ? limit + 1 : Math.max(limit + 1, 100);
  const justChanged = justChangedIds({ table, organizationId }, budget);
  const list = (
    name: 'leadsByStage' | 'leadsByOwner' | 'leadsBySource',
    attribute: string,
    value: string,
  ): LeadIds => indexIds(table, { name, attribute, value }, firstChunk, budget);
  const lists = [
    ...(stageIds
      ? [
          anyOfIds(
            stageIds.map((stageId) =>
              list('leadsByStage', 'stageKey', stageIndexKey(organizationId, stageId)),
            ),
          ),
        ]
      : []),
    ...(ownerId === undefined
      ? []
      : [list('leadsByOwner', 'ownerKey', ownerIndexKey(organizationId, ownerId))]),
    ...(sourceId === undefined
      ? []
      : [list('leadsBySource', 'sourceKey', sourceIndexKey(organizationId, sourceId))]),
  ];
  return lists.map((ids) => withUncertain(ids, justChanged));
}

/** Up to this many ids of changed leads are read before anything is known of the leads. */
const fewUpdates = 1000;

type ChangeQuery = LeadQuery & { readonly updatedSince: number };

const changedIn = (leads: readonly Lead[], { updatedSince }: ChangeQuery): number =>
  leads.filter(({ updatedAt }) => Date.parse(updatedAt) >= updatedSince).length;

/**
 * For a list only by update time: fetches the changed leads by id, or scans all leads where that costs less. On the first page the scan
 * starts in parallel with the first ids: it tells how many leads there are, and may already be the page. While the ids are still being
 * read, which can take several pages, the leads are scanned.
 */
async function changedLeads(
  own: OrganizationTable,
  query: ChangeQuery,
  budget: PageBudget,
): Promise<LeadReader> {
  const { cursor, limit, updatedSince } = query;
  const scan = scanLeads(own, budget);
  let [first, changed] = await Promise.all([
    cursor === undefined ? scan.read(aboveAllIds, limit + 1) : undefined,
    readChangedLeads(own, updatedSince, fewUpdates, budget),
  ]);
  const below = cursor ?? (first?.leads[0]?.id ?? 0) + 1;
  if (!changed.isComplete) {
    first ??= await scan.read(below, limit + 1);
    const perFetched = scannedPerFetched(changed);
    if (changedIn(first.leads, query) * perFetched >= first.leads.length)
      return readOn(first, scan);
    const most = Math.min(changedLeadsMax, Math.floor(below / perFetched));
    changed = await readChangedLeads(own, updatedSince, most, budget);
  }
  const isCheaperById = changed.ids.countBelow(below) * scannedPerFetched(changed) <= below;
  return changed.isComplete && isCheaperById
    ? leadsByIds(own, changed.ids, budget)
    : readOn(first, scan);
}

const usualLeadBytes = 800;

const largeBytes = ({ largeKb }: ChangedLeads): number =>
  [...largeKb.values()].reduce((sum, kb) => sum + 1000 * kb, 0);

/** How many leads a scan reads for the price of one fetched by id, which costs at least a read unit. */
function scannedPerFetched(changed: ChangedLeads): number {
  const { ids, largeKb } = changed;
  const bytes = largeBytes(changed) + usualLeadBytes * (ids.size - largeKb.size);
  return Math.max(1, (bytesPerReadUnit * ids.size) / Math.max(1, bytes));
}

/**
 * For a list by update time and by ids: the changed leads, if few changed. If many did, the lists are read without them, unless more than
 * half of the page's first leads turn out not to have changed.
 */
async function changedAmong(
  own: OrganizationTable,
  lists: readonly LeadIds[],
  query: ChangeQuery,
  budget: PageBudget,
): Promise<LeadReader> {
  const { cursor = aboveAllIds, limit, updatedSince } = query;
  const inLists = (changed: ChangedLeads, idsPerListed: number): LeadReader => {
    const isJoined = isCheaperJoined(changed, idsPerListed);
    const ids = isJoined ? allOfIds([...lists, changed.ids], budget) : changed.ids;
    return leadsByIds(own, ids, budget);
  };
  const few = await readChangedLeads(own, updatedSince, fewUpdates, budget);
  if (few.isComplete && few.ids.size <= fewUpdates) return inLists(few, 2);

  const listed = leadsByIds(own, allOfIds(lists, budget), budget);
  const first = await listed.read(cursor, limit + 1);
  const { leads, downTo } = first;
  if (2 * changedIn(leads, query) >= leads.length) return readOn(first, listed);
  const changed = await readChangedLeads(own, updatedSince, changedLeadsMax, budget);
  const idsPerListed = ((leads[0]?.id ?? downTo) - downTo + 1) / leads.length;
  // Large leads and many ids can take the whole budget together: then the leads that were read are the page.
  return changed.isComplete && !budget.isSpent
    ? inLists(changed, idsPerListed)
    : readOn(first, listed);
}

/** Entries of an index that are read for the price of a lead fetched by id: an index is read at half the price of the table. */
const entriesPerLead = (2 * bytesPerReadUnit) / indexEntryBytes;

/**
 * Whether the lists tell which changed leads to fetch for less than it costs to fetch them all: where changed leads lie far apart, a list
 * has hundreds of entries between two of them. Leads of more than a read unit are better not fetched for nothing.
 * @param idsPerListed of how many ids the lists have one; that one is fetched in any case
 */
const isCheaperJoined = (changed: ChangedLeads, idsPerListed: number): boolean =>
  changed.ids.size * entriesPerLead * (idsPerListed - 1) > changed.ids.highest ||
  largeBytes(changed) > bytesPerReadUnit * changed.ids.size;
