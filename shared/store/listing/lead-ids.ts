import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../limits.ts';
import type { Table } from '../table/client.ts';
import { itemsOf } from '../table/get-item.ts';
import type { LeadIndexEntry } from '../table/items.ts';
import { leadSortKey } from '../table/primary-keys.ts';
import type { IndexName } from '../table/table-definition.ts';
import type { PageBudget } from './page-budget.ts';

/**
 * A list of lead ids, highest first, read on demand. Intersections skip ahead: each list is read from the other's current id, never in full.
 */
export interface LeadIds {
  /** The highest id of the list that is lower than `below`; undefined if there is none. */
  next(below: number): Promise<number | undefined>;
  /** Whether a returned id is not in the index, so that the list may not contain its lead. */
  isUncertain?(leadId: number): boolean;
}

/** One more than any id: the start of a scan. */
export const aboveAllIds = limits.idMax + 1;

/** The bytes of one index entry in a page's budget: its keys and their names. */
export const indexEntryBytes = 100;

/** The lead's id of an index entry. */
export const idOf = ({ sk }: Pick<LeadIndexEntry, 'sk'>): number => Number(sk);

const chunkMin = 10;
const chunkMax = 4000;

/** One partition of an index. */
export interface IndexPartition {
  readonly name: IndexName;
  /** The partition key, by its name and value. */
  readonly attribute: string;
  readonly value: string;
}

/**
 * The ids of one partition of an index, read in chunks. Chunks grow while the list is read sequentially, and shrink when an id far below
 * the last chunk is requested.
 */
export function indexIds(
  table: Table,
  partition: IndexPartition,
  firstChunk: number,
  budget: PageBudget,
): LeadIds {
  let ids: number[] = [];
  let chunkStart = Number.NEGATIVE_INFINITY; // the chunk has every id below this one, down to its own last
  let at = 0; // the position in the chunk of the id returned last
  let isComplete = false;
  let size = firstChunk;

  const readChunk = async (below: number): Promise<void> => {
    size = nextChunkSize(size, ids, below);
    const { entries, isLast } = await readEntries(table, partition, below, size);
    ids = entries.map(idOf);
    for (const entry of entries) budget.noteSize(idOf(entry), entry.largeKb);
    chunkStart = below;
    at = 0;
    isComplete = isLast;
    budget.spend(ids.length * indexEntryBytes);
  };

  return {
    async next(below) {
      const lowest = ids.at(-1) ?? Number.POSITIVE_INFINITY;
      const isCovered = below <= chunkStart && (isComplete || below > lowest);
      if (!isCovered) await readChunk(below);
      at = highestBelow(ids, below, at);
      return ids[at];
    },
  };
}

function nextChunkSize(size: number, ids: readonly number[], below: number): number {
  const [highest, lowest] = [ids[0], ids.at(-1)];
  if (highest === undefined || lowest === undefined) return size;
  const isSequential = lowest - below <= highest - lowest;
  return isSequential ? Math.min(4 * size, chunkMax) : Math.max(chunkMin, Math.floor(size / 4));
}

async function readEntries(
  table: Table,
  { name, attribute, value }: IndexPartition,
  below: number,
  limit: number,
): Promise<{ entries: readonly LeadIndexEntry[]; isLast: boolean }> {
  const { Items, LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: name,
      KeyConditionExpression: `${attribute} = :value AND sk < :below`,
      ExpressionAttributeValues: { ':value': value, ':below': leadSortKey(below) },
      ScanIndexForward: false,
      Limit: limit,
    }),
  );
  return { entries: itemsOf<LeadIndexEntry>(Items), isLast: LastEvaluatedKey === undefined };
}

/** The position of the highest id that is lower than `below`, in ids from high to low; their count if there is none. */
function highestBelow(ids: readonly number[], below: number, from: number): number {
  let at = from > 0 && (ids[from - 1] ?? 0) < below ? 0 : from;
  while ((ids[at] ?? Number.NEGATIVE_INFINITY) >= below) at += 1;
  return at;
}

/** A list of ids that were read already, in any order. */
export function listedIds(leadIds: Iterable<number>): LeadIds {
  const ordered = [...leadIds].sort((a, b) => b - a);
  let at = 0;
  return {
    async next(below) {
      at = highestBelow(ordered, below, at);
      return ordered[at];
    },
  };
}

/** The ids that any of the lists has; the lists are read in parallel. */
export const anyOfIds = (lists: readonly LeadIds[]): LeadIds => ({
  async next(below) {
    const heads = await Promise.all(lists.map((list) => list.next(below)));
    const ids = heads.filter((leadId) => leadId !== undefined);
    return ids.length === 0 ? undefined : Math.max(...ids);
  },
});

/**
 * A list's ids, and further ids that its index may lack for a moment. The caller must check each lead. Both lists are read in parallel.
 * @param further few ids, because most of them are examined for nothing
 */
export function withUncertain(list: LeadIds, further: LeadIds): LeadIds {
  const uncertain = new Set<number>();
  return {
    isUncertain: (leadId) => uncertain.has(leadId),
    async next(below) {
      const [listed, other] = await Promise.all([list.next(below), further.next(below)]);
      if (other === undefined || other <= (listed ?? 0)) return listed;
      uncertain.add(other);
      return other;
    },
  };
}

/** The ids that all of the lists have: each list skips to the lowest head, until all agree. @throws PageEndedError from `next` */
export const allOfIds = (lists: readonly LeadIds[], budget: PageBudget): LeadIds => {
  const [only] = lists;
  if (lists.length === 1 && only) return only;
  return {
    isUncertain: (leadId) => lists.some((list) => list.isUncertain?.(leadId) === true),
    async next(below) {
      let candidate = below;
      while (true) {
        const heads = await Promise.all(lists.map((list) => list.next(candidate)));
        const ids = heads.filter((leadId) => leadId !== undefined);
        if (ids.length < heads.length) return undefined;
        const lowest = Math.min(...ids);
        if (ids.every((leadId) => leadId === lowest)) return lowest;
        candidate = lowest + 1;
        budget.assertNotSpent(candidate);
      }
    },
  };
};
