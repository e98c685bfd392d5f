import type { OrganizationTable, Table } from '../table/client.ts';
import { ownerIndexKey, sourceIndexKey, stageIndexKey } from '../table/primary-keys.ts';
import type { IndexName } from '../table/table-definition.ts';
import { readChangedIds, recentlyChangedIds } from './changed-leads.ts';
import { indexIds, intersection, type LeadIds, listedIds, union } from './lead-ids.ts';
import {
  type LeadPage,
  type LeadReader,
  leadsByIds,
  type PageQuery,
  readLeadPage,
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

/** A page's budget in bytes; it also has one in time (design, section 5). */
const pageMaxBytes = 4_000_000;
const pageMaxMs = 1000;

/**
 * One page of an organization's leads, at a cost bounded by the page. Filters with an index produce lists of ids, and the leads in all of
 * these lists are fetched. Without such a filter, the leads are scanned.
 */
export async function listLeads(table: Table, query: LeadQuery): Promise<LeadPage> {
  const budget = new PageBudget(pageMaxBytes, pageMaxMs);
  const scope = { table, organizationId: query.organizationId };
  return readLeadPage(await readerOf(scope, query, budget), query, budget);
}

async function readerOf(
  scope: OrganizationTable,
  query: LeadQuery,
  budget: PageBudget,
): Promise<LeadReader> {
  const { stageIds, updatedSince } = query;
  if (stageIds?.length === 0) return leadsByIds(scope, listedIds([]), budget); // a stage of another pipeline: no lead is in both
  const lists = indexLists(scope, query, budget);
  const changed =
    updatedSince === undefined ? undefined : await readChangedIds(scope, updatedSince, budget);
  if (changed) {
    // Fetches the changed leads without the other lists, each of which would have to be searched for every changed lead.
    const areFew = changed.length <= fewChanged || lists.length === 0;
    if (areFew) return leadsByIds(scope, listedIds(changed), budget);
    lists.push(listedIds(changed));
  }
  if (lists.length === 0) return scanLeads(scope, budget);
  return leadsByIds(scope, intersection(lists, budget), budget, recentlyChangedIds(scope, budget));
}

/** How many leads a page's budget can fetch, at a read unit each. */
const fewChanged = 1000;

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
  // A single list is read only as far as the page needs; an intersection usually reads further.
  const firstChunk = isSingle ? limit + 1 : Math.max(limit + 1, 100);
  return partitions.map(([index, values]) =>
    union(values.map((value) => indexIds(table, { index, value, firstChunk }, budget))),
  );
}
