import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { limits } from '../limits.ts';
import type { Table } from './client.ts';
import type { PageBudget } from './page-budget.ts';
import { leadSortKey } from './primary-keys.ts';
import type { IndexName } from './table-definition.ts';

/**
 * Lead ids, highest first, read as they are asked for. Joins seek: a list is read from another's id on, never whole.
 * `next(below)` is the highest id of the list that is lower than `below`, undefined when there is none.
 */
export interface LeadIds {
  next(below: number): Promise<number | undefined>;
}

/** One more than any id: where a walk begins. */
export const aboveAllIds = limits.idMax + 1;

/** One index entry as it counts against a page's budget, in bytes: its keys and their names. */
export const indexEntryBytes = 100;

/** An index's ids under one partition key. Reads chunks that grow, since a list that is asked again is likely asked on. */
export function indexIds(
  table: Table,
  index: { readonly name: IndexName; readonly attribute: string; readonly value: string },
  firstChunk: number,
  budget: PageBudget,
): LeadIds {
  let chunk: number[] = [];
  let chunkStart = Number.NEGATIVE_INFINITY; // the chunk holds every id from below this one on, until its own last
  let isComplete = false;
  let size = firstChunk;

  const read = async (below: number): Promise<void> => {
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
    chunkStart = below;
    isComplete = LastEvaluatedKey === undefined;
    size = Math.min(2 * size, 1000);
    budget.spend(chunk.length * indexEntryBytes);
  };

  return {
    async next(below) {
      const lowest = chunk.at(-1) ?? Number.POSITIVE_INFINITY;
      const isCovered = below <= chunkStart && (isComplete || below > lowest);
      if (!isCovered) await read(below);
      return chunk.find((leadId) => leadId < below);
    },
  };
}

/** Ids known already, in any order. */
export function listedIds(leadIds: readonly number[]): LeadIds {
  const ordered = [...leadIds].sort((a, b) => b - a);
  let from = 0;
  return {
    async next(below) {
      if (from > 0 && (ordered[from - 1] ?? 0) < below) from = 0;
      while ((ordered[from] ?? -1) >= below) from += 1;
      return ordered[from];
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

/** Ids that all of the lists have: each list seeks to the lowest head, until all agree. Gives up, between two ids, with its budget. */
export const allOfIds = (lists: readonly LeadIds[], budget: PageBudget): LeadIds => {
  const [only] = lists;
  if (lists.length === 1 && only) return only;
  return {
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
