import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Table } from '../table/client.ts';
import { updateIndexKey } from '../table/primary-keys.ts';
import { indexEntryBytes, type LeadIds, listedIds } from './lead-ids.ts';
import type { PageBudget } from './page-budget.ts';

/** The leads changed since a time, as far as they were read. */
export interface ChangedLeads {
  readonly ids: ReadonlySet<number>;
  /** False when there are more than were read: then the ids alone say nothing. */
  readonly isComplete: boolean;
}

interface CachedRead {
  /** When it began, epoch milliseconds. */
  readonly begunAt: number;
  readonly ids: Set<number>;
  readonly largeKb: Map<number, number>;
  /** From this `updatedAt` on the index is being read. */
  from: string;
  /** When reading from there began, epoch milliseconds. */
  fromBegunAt: number;
  /** The last change that was read, by the clock of who wrote it. */
  newest: string;
  next: Record<string, unknown> | undefined;
  isComplete: boolean;
  /** It was complete once. */
  isReadOn: boolean;
}

/** An index lags the table by a moment, and `updatedAt` is set just before the commit: the lead decides. */
const indexLagMs = 10_000;
const lagBefore = (ms: number): string => new Date(Math.max(0, ms - indexLagMs)).toISOString();

/** More are never read: so many entries are most of a page's budget. */
export const changedLeadsMax = 25_000;
/** Entries of one call that reads on: 100 KB. */
const readOnEntries = 1000;
/** A walk's next pages follow within seconds; what was read longer ago is read anew, so that a change dated back is missed no longer than that. */
const readingMaxMs = 60_000;
/** Walks whose ids are remembered at once, 25,000 numbers each at the most. */
const readingsMax = 8;
const readings = new Map<string, CachedRead>();

/**
 * The ids of an organization's leads changed since a time. A lead changed since stays so: what was read for one page of a walk serves
 * the next page too, which reads on from there, or just what changed meanwhile. A read unit for each 80 ids that are new.
 * @param since epoch milliseconds
 * @param max stops beyond so many, unless it knew them all
 */
export async function readChangedLeads(
  table: Table,
  organizationId: number,
  since: number,
  max: number,
  budget: PageBudget,
): Promise<ChangedLeads> {
  const cachedRead = readingOf(organizationId, since);
  if (cachedRead.isComplete) {
    // Changes that a clock far ahead dated say nothing of what was committed when the index was read.
    cachedRead.from = lagBefore(Math.min(Date.parse(cachedRead.newest), cachedRead.fromBegunAt));
    cachedRead.fromBegunAt = Date.now();
    cachedRead.isComplete = false;
    cachedRead.isReadOn = true;
  }
  // Of a reading that was complete just what changed meanwhile is read, however many it holds.
  const most = cachedRead.isReadOn ? changedLeadsMax : max;
  while (!cachedRead.isComplete && cachedRead.ids.size <= most && !budget.isSpent) {
    const { Items = [], LastEvaluatedKey } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: 'leadsByUpdate',
        KeyConditionExpression: 'updateKey = :leads AND updatedAt >= :from',
        ExpressionAttributeValues: { ':leads': updateIndexKey(organizationId), ':from': cachedRead.from },
        // What is read on is mostly known: how many more ids are wanted does not say how many entries there are to read.
        Limit: cachedRead.isReadOn ? readOnEntries : most + 1 - cachedRead.ids.size,
        ExclusiveStartKey: cachedRead.next,
      }),
    );
    for (const entry of Items) take(cachedRead, entry);
    budget.spend(Items.length * indexEntryBytes);
    cachedRead.next = LastEvaluatedKey;
    cachedRead.isComplete = LastEvaluatedKey === undefined;
  }
  for (const [leadId, kb] of cachedRead.largeKb) budget.noteSize(leadId, kb);
  return cachedRead;
}

/** At most so many leads are looked at besides a list's own; their entries are 4 KB, half a read unit. */
const justChangedMax = 40;

/**
 * The ids of an organization's leads that changed last, within the seconds that an index may lag. A lead that moves leaves its old place in an
 * index and gets its new one at two moments: between them a list that it never left, such as its pipeline's, has it in neither. The update index is another
 * one, and tells what just moved. One query, half a read unit.
 */
export function justChangedIds(table: Table, organizationId: number, budget: PageBudget): LeadIds {
  const read = async (): Promise<LeadIds> => {
    const now = Date.now();
    const { Items = [] } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: 'leadsByUpdate',
        KeyConditionExpression: 'updateKey = :leads AND updatedAt BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':leads': updateIndexKey(organizationId),
          ':from': lagBefore(now),
          ':to': new Date(now + indexLagMs).toISOString(), // clocks may be ahead, far ahead they would take the place of others
        },
        ScanIndexForward: false,
        Limit: justChangedMax,
      }),
    );
    for (const { sk, largeKb } of Items) budget.noteSize(Number(sk), largeKb);
    budget.spend(Items.length * indexEntryBytes);
    return listedIds(Items.map(({ sk }) => Number(sk)));
  };
  let cachedRead: Promise<LeadIds> | undefined;
  return {
    async next(below) {
      cachedRead ??= read();
      return (await cachedRead).next(below);
    },
  };
}

function take(cachedRead: CachedRead, { sk, updatedAt, largeKb }: Record<string, unknown>): void {
  const leadId = Number(sk);
  cachedRead.ids.add(leadId);
  if (typeof largeKb === 'number') cachedRead.largeKb.set(leadId, largeKb);
  if (String(updatedAt) > cachedRead.newest) cachedRead.newest = String(updatedAt);
}

/** The reading of this organization and time, the longest unused one forgotten for a new one. */
function readingOf(organizationId: number, since: number): CachedRead {
  const name = `${organizationId} ${since}`;
  const from = lagBefore(since);
  const begunAt = Date.now();
  const known = readings.get(name);
  const isFresh = known !== undefined && begunAt - known.begunAt < readingMaxMs;
  const cachedRead: CachedRead = isFresh
    ? known
    : {
        begunAt,
        ids: new Set(),
        largeKb: new Map(),
        from,
        fromBegunAt: begunAt,
        newest: from,
        next: undefined,
        isComplete: false,
        isReadOn: false,
      };
  readings.delete(name);
  readings.set(name, cachedRead);
  const [oldest] = readings.keys();
  if (readings.size > readingsMax && oldest !== undefined) readings.delete(oldest);
  return cachedRead;
}
