import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from './client.ts';
import { aboveAllIds, allOfIds, anyOfIds, indexEntryBytes, indexIds, type LeadIds, listedIds } from './lead-ids.ts';
import { type LeadPage, type LeadReader, leadsByIds, type PageQuestion, readLeadPage, walkLeads } from './lead-pages.ts';
import { PageBudget } from './page-budget.ts';
import { ownerIndexKey, sourceIndexKey, stageIndexKey, updateIndexKey } from './primary-keys.ts';

/** What a list asks for, besides the page itself. Each id is also checked on the lead by `matches`. */
export interface ListQuestion extends PageQuestion {
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

/** An index lags the table by a moment, and `updatedAt` is set just before the commit: the lead decides. */
const updateIndexLagMs = 10_000;
/** Up to so many changed leads, looking them up by id is cheaper than asking what share of all leads they are. */
const fewUpdates = 1000;

/**
 * One page of an organization's leads, planned so that its cost is bounded by the page: without an id filter the leads are walked;
 * with some, their index lists are joined and the leads fetched by id.
 */
export async function listLeads(table: Table, question: ListQuestion): Promise<LeadPage> {
  const budget = new PageBudget(pageMaxBytes, pageMaxMs);
  return readLeadPage(await planReader(table, question, budget), question, budget);
}

async function planReader(table: Table, question: ListQuestion, budget: PageBudget): Promise<LeadReader> {
  const { organizationId, updatedSince } = question;
  const lists = indexLists(table, question, budget);
  if (updatedSince === undefined) {
    return lists.length === 0
      ? walkLeads(table, organizationId, budget)
      : leadsByIds(table, organizationId, allOfIds(lists, budget), budget);
  }
  const since = new Date(Math.max(0, updatedSince - updateIndexLagMs)).toISOString();
  if (lists.length > 0) {
    const updated = await updatedIds(table, organizationId, since, fewUpdates, budget);
    const all = updated === 'too many' ? lists : [...lists, listedIds(updated)];
    return leadsByIds(table, organizationId, allOfIds(all, budget), budget);
  }
  return updatedReader(table, question, since, budget);
}

function indexLists(
  table: Table,
  { organizationId, stageIds, ownerId, sourceId, limit, updatedSince }: ListQuestion,
  budget: PageBudget,
): LeadIds[] {
  const givenLists = [stageIds, ownerId, sourceId, updatedSince].filter((given) => given !== undefined).length;
  // A list that is read alone is read just as far as the page; a joined one is likely asked on.
  const firstChunk = givenLists === 1 ? limit + 1 : Math.max(limit + 1, 100);
  const list = (name: 'leadsByStage' | 'leadsByOwner' | 'leadsBySource', attribute: string, value: string): LeadIds =>
    indexIds(table, { name, attribute, value }, firstChunk, budget);
  return [
    ...(stageIds
      ? [anyOfIds(stageIds.map((stageId) => list('leadsByStage', 'stageKey', stageIndexKey(organizationId, stageId))))]
      : []),
    ...(ownerId === undefined ? [] : [list('leadsByOwner', 'ownerKey', ownerIndexKey(organizationId, ownerId))]),
    ...(sourceId === undefined ? [] : [list('leadsBySource', 'sourceKey', sourceIndexKey(organizationId, sourceId))]),
  ];
}

/**
 * For a list by update time alone: a first look at the newest leads beside the first changed ids. Few changed: by their ids.
 * Many: on with the walk, unless the changed ids, read to the end at no more than the walk would cost, turn out few after all.
 */
async function updatedReader(table: Table, question: ListQuestion, since: string, budget: PageBudget): Promise<LeadReader> {
  const { organizationId, limit, cursor, matches } = question;
  const below = cursor ?? aboveAllIds;
  const walk = walkLeads(table, organizationId, budget);
  const [first, few] = await Promise.all([
    walk.read(below, limit + 1),
    updatedIds(table, organizationId, since, fewUpdates, budget),
  ]);
  const byIds = (ids: readonly number[]): LeadReader => leadsByIds(table, organizationId, listedIds(ids), budget);
  if (few !== 'too many') return byIds(few);
  const isMostlyChanged = first.after === 'end' || 4 * first.leads.filter(matches).length >= first.leads.length;
  const newest = first.leads[0]?.id ?? 0;
  const many = isMostlyChanged
    ? 'too many'
    : await updatedIds(table, organizationId, since, worthwhileUpdates(limit, newest), budget);
  return many === 'too many' ? afterFirst(first, walk) : byIds(many);
}

/** The walk whose first stretch is read already. */
function afterFirst(first: Awaited<ReturnType<LeadReader['read']>>, walk: LeadReader): LeadReader {
  let isFirst = true;
  return {
    async read(below, wanted) {
      if (!isFirst) return walk.read(below, wanted);
      isFirst = false;
      return first;
    },
  };
}

/**
 * How many changed ids are still cheaper to read than a walk of the leads: k entries cost k / 80 units, a walk that finds a page among
 * n leads of which k are changed costs limit * n / k / 4 (entries of 100 bytes read eventually, leads of 1 KB read consistently).
 */
const worthwhileUpdates = (limit: number, leads: number): number =>
  Math.max(fewUpdates, Math.round(Math.sqrt(20 * limit * leads)));

/** The ids of leads changed since, in order of change; 'too many' beyond a number. Costs a read unit for each 80. */
async function updatedIds(
  table: Table,
  organizationId: number,
  since: string,
  max: number,
  budget: PageBudget,
): Promise<readonly number[] | 'too many'> {
  const ids: number[] = [];
  let next: Record<string, unknown> | undefined;
  do {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: 'leadsByUpdate',
        KeyConditionExpression: 'updateKey = :leads AND updatedAt >= :since',
        ExpressionAttributeValues: { ':leads': updateIndexKey(organizationId), ':since': since },
        Limit: max + 1 - ids.length,
        ExclusiveStartKey: next,
      }),
    );
    ids.push(...Items.map(({ sk }) => Number(sk)));
    budget.spend(Items.length * indexEntryBytes);
    next = LastEvaluatedKey;
  } while (next && ids.length <= max && !budget.isSpent);
  return next || ids.length > max ? 'too many' : ids;
}
