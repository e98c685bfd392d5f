import type { Table } from '../table/client.ts';
import { ownerIndexKey, sourceIndexKey, stageIndexKey } from '../table/primary-keys.ts';
import { changedLeadsMax, justChangedIds, readChangedLeads } from './changed-leads.ts';
import { aboveAllIds, allOfIds, anyOfIds, indexIds, type LeadIds, listedIds, withDoubtful } from './lead-ids.ts';
import {
  type LeadChunk,
  type LeadPage,
  type LeadReader,
  leadsByIds,
  type PageQuery,
  readLeadPage,
  scanLeads,
} from './lead-pages.ts';
import { PageBudget } from './page-budget.ts';

/** What a list asks for, besides the page itself. Each id is also checked on the lead by `matches`. */
export interface LeadQuery extends PageQuery {
  readonly organizationId: number;
  /** Any of these stages; a pipeline is its stages. */
  readonly stageIds: readonly number[] | undefined;
  readonly ownerId: number | undefined;
  readonly sourceId: number | undefined;
  /** Epoch milliseconds. */
  readonly updatedSince: number | undefined;
}

/** A page looks at no more than this, whichever ends first (design, section 5). */
const pageMaxBytes = 4_000_000;
const pageMaxMs = 1000;

/** Up to so many changed leads, looking them up by id is cheaper than asking what share of all leads they are. */
const fewUpdates = 1000;

/**
 * One page of an organization's leads, planned so that its cost is bounded by the page: without an id filter the leads are walked;
 * with some, their index lists are joined and the leads fetched by id.
 */
export async function listLeads(table: Table, query: LeadQuery): Promise<LeadPage> {
  const budget = new PageBudget(pageMaxBytes, pageMaxMs);
  return readLeadPage(await planReader(table, query, budget), query, budget);
}

async function planReader(table: Table, query: LeadQuery, budget: PageBudget): Promise<LeadReader> {
  const { organizationId, updatedSince } = query;
  const lists = indexLists(table, query, budget);
  if (updatedSince === undefined) {
    return lists.length === 0
      ? scanLeads(table, organizationId, budget)
      : leadsByIds(table, organizationId, allOfIds(lists, budget), budget);
  }
  if (lists.length === 0) return updatedReader(table, query, updatedSince, budget);
  return changedAmong(table, query, lists, updatedSince, budget);
}

/**
 * For a list by update time and by ids: both joined where few leads changed. Where many did, the lists alone are read, until more than
 * half of their leads turn out not to match: then the changed ids are read to their end.
 */
async function changedAmong(
  table: Table,
  { organizationId }: LeadQuery,
  lists: readonly LeadIds[],
  since: number,
  budget: PageBudget,
): Promise<LeadReader> {
  const read = (max: number) => readChangedLeads(table, organizationId, since, max, budget);
  const byIds = (all: readonly LeadIds[]): LeadReader => leadsByIds(table, organizationId, allOfIds(all, budget), budget);
  const few = await read(fewUpdates);
  if (few.isComplete) return byIds([...lists, listedIds(few.ids)]);
  let reader = byIds(lists);
  let firstWanted: number | undefined;
  let isDecided = false;
  return {
    async read(below, wanted) {
      if (firstWanted !== undefined && !isDecided && 2 * wanted > firstWanted) {
        isDecided = true;
        const changed = await read(changedLeadsMax);
        if (changed.isComplete) reader = byIds([...lists, listedIds(changed.ids)]);
      }
      firstWanted ??= wanted;
      return reader.read(below, wanted);
    },
  };
}

function indexLists(
  table: Table,
  { organizationId, stageIds, ownerId, sourceId, limit, updatedSince }: LeadQuery,
  budget: PageBudget,
): LeadIds[] {
  if (stageIds?.length === 0) return [listedIds([])]; // a stage of another pipeline: no lead is in both
  const givenLists = [stageIds, ownerId, sourceId, updatedSince].filter((given) => given !== undefined).length;
  // A list that is read alone is read just as far as the page; a joined one is likely asked on.
  const firstChunk = givenLists === 1 ? limit + 1 : Math.max(limit + 1, 100);
  const justChanged = justChangedIds(table, organizationId, budget);
  const list = (name: 'leadsByStage' | 'leadsByOwner' | 'leadsBySource', attribute: string, value: string): LeadIds =>
    indexIds(table, { name, attribute, value }, firstChunk, budget);
  const lists = [
    ...(stageIds
      ? [anyOfIds(stageIds.map((stageId) => list('leadsByStage', 'stageKey', stageIndexKey(organizationId, stageId))))]
      : []),
    ...(ownerId === undefined ? [] : [list('leadsByOwner', 'ownerKey', ownerIndexKey(organizationId, ownerId))]),
    ...(sourceId === undefined ? [] : [list('leadsBySource', 'sourceKey', sourceIndexKey(organizationId, sourceId))]),
  ];
  return lists.map((ids) => withDoubtful(ids, justChanged));
}

/**
 * For a list by update time alone: by the changed ids, as long as fetching those that are left costs less than walking all leads that
 * are left. On the first page the walk begins beside the first ids: it tells how many leads there are, and may be the page.
 */
async function updatedReader(table: Table, query: LeadQuery, since: number, budget: PageBudget): Promise<LeadReader> {
  const { organizationId, limit, cursor, matches } = query;
  const walk = scanLeads(table, organizationId, budget);
  const read = (max: number) => readChangedLeads(table, organizationId, since, max, budget);
  const [first, few] = await Promise.all([
    cursor === undefined ? walk.read(aboveAllIds, limit + 1) : undefined,
    read(fewUpdates),
  ]);
  const below = cursor ?? (first?.leads[0]?.id ?? 0) + 1;
  const isMostlyChanged = first !== undefined && 2 * first.leads.filter(matches).length >= first.leads.length;
  const worthwhile = Math.min(changedLeadsMax, Math.floor(below / walkedPerFetched(few.ids, budget)));
  const changed = few.isComplete || isMostlyChanged || worthwhile <= fewUpdates ? few : await read(worthwhile);
  const changedLeft = [...changed.ids].filter((leadId) => leadId < below);
  if (changed.isComplete && changedLeft.length * walkedPerFetched(changedLeft, budget) <= below) {
    return leadsByIds(table, organizationId, listedIds(changedLeft), budget);
  }
  return first ? withFirstChunk(first, walk) : walk;
}

/** What most leads take, in bytes. */
const usualLeadBytes = 800;
const bytesPerReadUnit = 4096;

/** How many leads a walk reads for the price of one that is fetched by its id, which costs a read unit at least. */
function walkedPerFetched(leadIds: Iterable<number>, budget: PageBudget): number {
  const sizes = [...leadIds].map((leadId) => budget.knownBytes(leadId) ?? usualLeadBytes);
  const meanBytes = sizes.reduce((sum, bytes) => sum + bytes, 0) / Math.max(1, sizes.length);
  return Math.max(1, bytesPerReadUnit / Math.max(1, meanBytes));
}

/** The walk whose first stretch is read already. */
function withFirstChunk(first: LeadChunk, walk: LeadReader): LeadReader {
  let isFirst = true;
  return {
    async read(below, wanted) {
      if (!isFirst) return walk.read(below, wanted);
      isFirst = false;
      return first;
    },
  };
}
