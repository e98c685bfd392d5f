import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../limits.ts';
import type { Table } from '../table/client.ts';
import { leadSortKey } from '../table/primary-keys.ts';
import type { IndexName } from '../table/table-definition.ts';
import type { PageBudget } from './page-budget.ts';

/**
 * Lead ids, highest first, read as they are asked for. Joins seek: a list is read from another's id on, never whole.
 * `next(below)` is the highest id of the list that is lower than `below`, undefined when there is none.
 */
export interface LeadIds {
  next(below: number): Promise<number | undefined>;
  /** Whether an id that was given is not in the index, and its lead is only looked at to be sure. */
  isDoubtful?(leadId: number): boolean;
}

/** One more than any id: where a walk begins. */
export const aboveAllIds = limits.idMax + 1;

/** One index entry as it counts against a page's budget, in bytes: its keys and their names. */
export const indexEntryBytes = 100;

const chunkMin = 10;
const chunkMax = 4000;

/**
 * An index's ids under one partition key. A list that is read on and on reads chunks that grow; one that is asked far below what it
 * has read, small ones.
 */
export function indexIds(
  table: Table,
  index: { readonly name: IndexName; readonly attribute: string; readonly value: string },
  firstChunk: number,
  budget: PageBudget,
): LeadIds {
  let chunk: number[] = [];
  let chunkStart = Number.NEGATIVE_INFINITY; // the chunk holds every id from below this one on, until its own last
  let at = 0; // where in the chunk the last answer stood
  let isComplete = false;
  let size = firstChunk;

  const read = async (below: number): Promise<void> => {
    const [highest, lowest] = [chunk[0], chunk.at(-1)];
    if (highest !== undefined && lowest !== undefined) {
      const isReadOn = lowest - below <= highest - lowest;
      size = isReadOn ? Math.min(4 * size, chunkMax) : Math.max(chunkMin, Math.floor(size / 4));
    }
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: index.name,
        KeyConditionExpression: `${index.attribute} = :value AND sk < :below`,
        ExpressionAttributeValues: { ':value': index.value, ':below': leadSortKey(below) },
        ScanIndexForward: false,
        Limit: size,
      }),
    );
    chunk = Items.map(({ sk }) => Number(sk));
    for (const { sk, largeKb } of Items) budget.noteSize(Number(sk), largeKb);
    chunkStart = below;
    at = 0;
    isComplete = LastEvaluatedKey === undefined;
    budget.spend(chunk.length * indexEntryBytes);
  };

  return {
    async next(below) {
      const lowest = chunk.at(-1) ?? Number.POSITIVE_INFINITY;
      const isCovered = below <= chunkStart && (isComplete || below > lowest);
      if (!isCovered) await read(below);
      at = highestBelow(chunk, below, at);
      return chunk[at];
    },
  };
}

/** The position of the highest id that is lower than `below`, in ids from high to low; their number when there is none. */
function highestBelow(ids: readonly number[], below: number, from: number): number {
  let at = from > 0 && (ids[from - 1] ?? 0) < below ? 0 : from;
  while ((ids[at] ?? Number.NEGATIVE_INFINITY) >= below) at += 1;
  return at;
}

/** Ids known already, in any order. */
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

/** Ids that any of the lists has; the lists are read in parallel. */
export const anyOfIds = (lists: readonly LeadIds[]): LeadIds => ({
  async next(below) {
    const heads = await Promise.all(lists.map((list) => list.next(below)));
    const known = heads.filter((leadId) => leadId !== undefined);
    return known.length === 0 ? undefined : Math.max(...known);
  },
});

/**
 * A list's ids, and further ones that it may have lost for a moment: the lead decides. Both are read in parallel.
 * @param further as few as may be looked at in vain
 */
export function withDoubtful(list: LeadIds, further: LeadIds): LeadIds {
  const doubtful = new Set<number>();
  return {
    isDoubtful: (leadId) => doubtful.has(leadId),
    async next(below) {
      const [listed, other] = await Promise.all([list.next(below), further.next(below)]);
      if (other === undefined || other <= (listed ?? 0)) return listed;
      doubtful.add(other);
      return other;
    },
  };
}

/** Ids that all of the lists have: each list seeks to the lowest head, until all agree. Gives up, between two ids, with its budget. */
export const allOfIds = (lists: readonly LeadIds[], budget: PageBudget): LeadIds => {
  const [only] = lists;
  if (lists.length === 1 && only) return only;
  return {
    isDoubtful: (leadId) => lists.some((list) => list.isDoubtful?.(leadId) === true),
    async next(below) {
      let candidate = below;
      while (true) {
        const heads = await Promise.all(lists.map((list) => list.next(candidate)));
        if (heads.includes(undefined)) return undefined;
        const lowest = Math.min(...(heads as number[]));
        if (heads.every((leadId) => leadId === lowest)) return lowest;
        candidate = lowest + 1;
        budget.checkBetween(candidate);
      }
    },
  };
};
