import { type Lead, ownerIdOf, sourceIdOf } from '../../leads/lead.ts';
import type { Table } from '../table/client.ts';
import { ownerIndexKey, sourceIndexKey, stageIndexKey } from '../table/primary-keys.ts';
import { bytesPerReadUnit } from '../table/read-units.ts';
import { changedAmong, fewUpdates } from './changed-among.ts';
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
  changedIdList,
  indexIds,
  type LeadIds,
  listedIds,
  withUncertain,
} from './lead-ids.ts';
import {
  type LeadChunk,
  type LeadPage,
  type LeadReader,
  leadsByIds,
  type PageQuery,
  readLeadPage,
} from './lead-pages.ts';
import { type LeadScan, scanLeads } from './lead-scan.ts';
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
 * their index lists are intersected and the leads are fetched by id.
 */
export async function listLeads(table: Table, query: LeadQuery): Promise<LeadPage> {
  const budget = new PageBudget(pageMaxBytes, pageMaxMs);
  return readLeadPage(await planReader(table, query, budget), query, budget);
}

async function planReader(table: Table, query: LeadQuery, budget: PageBudget): Promise<LeadReader> {
  const { organizationId, updatedSince } = query;
  const own = { table, organizationId };
  const lists = indexLists(table, query, budget);
  if (updatedSince === undefined || query.stageIds?.length === 0) {
    return lists.length === 0
      ? scanLeads(own, budget)
      : leadsByIds(own, allOfIds(lists, budget), budget);
  }
  return lists.length === 0
    ? changedLeads(table, { ...query, updatedSince }, budget)
    : changedAmong(own, { lists, isInLists: listMatcher(query), updatedSince }, budget);
}

/** Whether a lead is in all of `indexLists`, by the lead itself. */
const listMatcher =
  ({ stageIds, ownerId, sourceId }: LeadQuery) =>
  (lead: Lead): boolean =>
    (stageIds === undefined || stageIds.includes(lead.stageId)) &&
    (ownerId === undefined || ownerIdOf(lead) === ownerId) &&
    (sourceId === undefined || sourceIdOf(lead) === sourceId);

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

/**
 * For a list only by update time: fetches the changed leads by id, as long as that costs less than a scan of all remaining leads. On the
 * first page the scan starts in parallel with the first ids: it tells how many leads there are, and may already be the page. While the ids
 * are still being read, which can take several pages, the leads are scanned.
 */
async function changedLeads(
  table: Table,
  { organizationId, limit, cursor, updatedSince }: LeadQuery & { readonly updatedSince: number },
  budget: PageBudget,
): Promise<LeadReader> {
  const own = { table, organizationId };
  const scan = scanLeads(own, budget);
  const read = (max: number) => readChangedLeads(own, updatedSince, max, budget);
  const [first, few] = await Promise.all([
    cursor === undefined ? scan.read(aboveAllIds, limit + 1) : undefined,
    read(fewUpdates),
  ]);
  const below = cursor ?? (first?.leads[0]?.id ?? 0) + 1;
  const reader = notingCost(scan, first, few, { limit, updatedSince });
  const most = worthwhileIds(few, below);
  const changed = few.isComplete || most <= fewUpdates ? few : await read(most);
  return changed.isComplete && isCheaperById(changed, below)
    ? leadsByIds(own, changedIdList(changed.ids), budget)
    : reader;
}

/** A scan is given up for ids when it costs more: the ids have a price too. */
const scanCostMax = 1.3;

/** How many ids of changed leads to read at most. */
function worthwhileIds(few: ChangedLeads, below: number): number {
  const { scanCost = Number.NaN } = few;
  if (scanCost <= scanCostMax) return 0;
  // Unless a scan proved expensive, this many changed leads are found as cheaply by one.
  const share = scanCost > scanCostMax ? 1 : 1 / scannedPerFetched(few);
  return Math.min(changedLeadsMax, Math.floor(share * below));
}

const isCheaperById = (changed: ChangedLeads, below: number): boolean =>
  (changed.scanCost ?? 0) > scanCostMax ||
  changed.ids.countBelow(below) * scannedPerFetched(changed) <= below;

/**
 * A scan, whose first chunk may have been read, that notes for the next page what a changed lead costs. Changed leads often have ids that
 * follow one another, so a page says little by itself: the cost is a moving average.
 */
function notingCost(
  scan: LeadScan,
  first: LeadChunk | undefined,
  changed: ChangedLeads,
  { limit, updatedSince }: Pick<PageQuery, 'limit'> & { readonly updatedSince: number },
): LeadReader {
  const before = changed.scanCost;
  let next = first;
  let [leads, found] = [0, 0];
  const note = (chunk: LeadChunk): LeadChunk => {
    leads += chunk.leads.length;
    found += chunk.leads.filter(({ updatedAt }) => Date.parse(updatedAt) >= updatedSince).length;
    const units = scan.bytesRead / bytesPerReadUnit;
    // What was found beyond the page is read again by the next.
    const useful = Math.min(Math.max(1, found), limit + 1);
    const cost = units / (useful * Math.max(1, units / Math.max(1, leads)));
    changed.scanCost = before === undefined ? cost : 0.75 * before + 0.25 * cost;
    return chunk;
  };
  if (first) note(first);
  return {
    async read(below, requested) {
      const chunk = next ?? note(await scan.read(below, requested));
      next = undefined;
      return chunk;
    },
  };
}

const usualLeadBytes = 800;

/** How many leads a scan reads for the price of one fetched by id, which costs at least a read unit. */
function scannedPerFetched({ ids, largeKb }: ChangedLeads): number {
  const largeBytes = [...largeKb.values()].reduce((sum, kb) => sum + 1000 * kb, 0);
  const bytes = largeBytes + usualLeadBytes * (ids.size - largeKb.size);
  return Math.max(1, (bytesPerReadUnit * ids.size) / Math.max(1, bytes));
}
