import { QueryCommand, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../contract/limits.ts';
import type { Table } from '../table/client.ts';
import { itemsOf } from '../table/get-item.ts';
import type { LeadIndexEntry } from '../table/items.ts';
import { leadSortKey } from '../table/primary-keys.ts';
import { type IndexName, tableDefinition } from '../table/table-definition.ts';
import type { PageBudget } from './page-budget.ts';

/**
 * Walks a list of lead ids from the highest down. Each call reads as much as it needs and returns the next id below `below`; undefined at the end.
 * Intersections skip ahead: each list is read from the other's current id, never in full.
 */
export type LeadIds = (below: number) => Promise<number | undefined>;

/** One more than any id: the start of a list. */
export const aboveAllIds = limits.idMax + 1;

/** How many bytes of a page's budget an index entry costs: its keys and their names. */
const indexEntryBytes = 100;

export const highestFirst = (leadIds: Iterable<number>): number[] =>
  [...leadIds].sort((a, b) => b - a);

export const idOf = ({ sk }: Pick<LeadIndexEntry, 'sk'>): number => Number(sk);

/** Queries an index, and charges the entries to the budget. */
export async function readEntries(
  table: Table,
  query: Omit<QueryCommandInput, 'TableName'> & { readonly IndexName: IndexName },
  budget: PageBudget,
): Promise<{
  readonly entries: readonly LeadIndexEntry[];
  readonly next: Record<string, unknown> | undefined;
}> {
  const { Items, LastEvaluatedKey } = await table.client.send(
    // No projection, because an index of keys refuses to project another index's attribute.
    new QueryCommand({ TableName: table.name, ...query }),
  );
  const entries = itemsOf<LeadIndexEntry>(Items);
  budget.spend(entries.length * indexEntryBytes);
  return { entries, next: LastEvaluatedKey };
}

const chunkMin = 10;
const chunkMax = 4000;

interface IndexPartition {
  readonly index: IndexName;
  readonly value: string;
  readonly firstChunk: number;
}

/**
 * The ids of one partition of an index, read in chunks. Chunks grow while the list is read sequentially, and shrink when an id far below
 * the last chunk is requested.
 */
export function indexIds(
  table: Table,
  { index, value, firstChunk }: IndexPartition,
  budget: PageBudget,
): LeadIds {
  const attribute = tableDefinition.indexes.find(({ name }) => name === index)?.partitionKey;
  let ids: readonly number[] = [];
  let chunk = listedIds(ids);
  let chunkStart = Number.NEGATIVE_INFINITY; // the chunk has every id below this one, down to its own last
  let isComplete = false;
  let size = firstChunk;

  return async (below) => {
    const lowest = ids.at(-1) ?? Number.POSITIVE_INFINITY;
    const isCovered = below <= chunkStart && (isComplete || below > lowest);
    if (!isCovered) {
      size = nextChunkSize(size, ids, below);
      const query = {
        IndexName: index,
        KeyConditionExpression: `${attribute} = :value AND sk < :below`,
        ExpressionAttributeValues: { ':value': value, ':below': leadSortKey(below) },
        ScanIndexForward: false,
        Limit: size,
      };
      const read = await readEntries(table, query, budget);
      ids = read.entries.map(idOf);
      chunk = listedIds(ids);
      chunkStart = below;
      isComplete = read.next === undefined;
    }
    return chunk(below);
  };
}

function nextChunkSize(size: number, ids: readonly number[], below: number): number {
  const [highest, lowest] = [ids[0], ids.at(-1)];
  if (highest === undefined || lowest === undefined) return size;
  const isSequential = lowest - below <= highest - lowest;
  return isSequential ? Math.min(4 * size, chunkMax) : Math.max(chunkMin, Math.floor(size / 4));
}

/** A list that has already been read. @param ordered the IDs, highest first */
export function listedIds(ordered: readonly number[]): LeadIds {
  let at = 0; // the position of the id returned last
  return async (below) => {
    if ((ordered[at - 1] ?? 0) < below) at = 0;
    while ((ordered[at] ?? Number.NEGATIVE_INFINITY) >= below) at += 1;
    return ordered[at];
  };
}

/** The ids that are in any of the lists. The lists are read in parallel. */
export const union =
  (lists: readonly LeadIds[]): LeadIds =>
  async (below) => {
    const heads = await Promise.all(lists.map((list) => list(below)));
    const ids = heads.filter((leadId) => leadId !== undefined);
    return ids.length === 0 ? undefined : Math.max(...ids);
  };

/**
 * The ids that are in all of the lists: each list skips to the lowest head, until all heads agree. If the budget is spent before that, it
 * returns the lowest head: every higher id is ruled out, and the page checks each lead anyway.
 */
export const intersection =
  (lists: readonly LeadIds[], budget: PageBudget): LeadIds =>
  async (below) => {
    let candidate = below;
    while (true) {
      const heads = await Promise.all(lists.map((list) => list(candidate)));
      const ids = heads.filter((leadId) => leadId !== undefined);
      if (ids.length < heads.length) return undefined;
      const lowest = Math.min(...ids);
      if (budget.isSpent || ids.every((leadId) => leadId === lowest)) return lowest;
      candidate = lowest + 1;
    }
  };
