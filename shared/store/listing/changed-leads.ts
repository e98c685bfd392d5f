import { BoundedMap } from '../../base/maps.ts';
import { limits } from '../../contract/limits.ts';
import type { OrganizationTable } from '../table/client.ts';
import type { LeadIndexEntry } from '../table/items.ts';
import { updateIndexKey } from '../table/primary-keys.ts';
import { highestFirst, idOf, type LeadIds, listedIds, readEntries } from './lead-ids.ts';
import type { PageBudget } from './page-budget.ts';

/** The leads changed since a time, as many as were read. */
export interface ChangedLeads {
  /** Highest first, each once. */
  readonly ids: readonly number[];
  /** False if there are more than were read: then a lead that is not among them may have changed too. */
  readonly isComplete: boolean;
  /** The sizes of the large ones, in KB. */
  readonly largeKb: ReadonlyMap<number, number>;
}

/** One reading of the index, from a time to its end, which may take several pages. */
interface Pass {
  readonly from: string;
  /** Epoch milliseconds. */
  readonly begunAt: number;
  readonly next: Record<string, unknown> | undefined;
}

interface CachedRead {
  /** When the first pass began, in epoch milliseconds. */
  readonly begunAt: number;
  /** Highest first, each once. */
  ids: readonly number[];
  readonly largeKb: Map<number, number>;
  /** The latest `updatedAt` that was read, in epoch milliseconds by the clock of the function that wrote it. */
  newest: number;
  /** The pass that has not reached the end of the index. */
  pass: Pass | undefined;
  /** When the last pass that reached the end began; undefined before the first. */
  wholeAt: number | undefined;
}

/** How long after its date a function's change may be missing from an index: up to ten seconds until its commit, and ten more of lag. */
const lateMs = limits.functionTimeoutSeconds * 1000 + 10_000;
/** How far ahead the clock that dated a change may be. */
const aheadMs = 10_000;
const dateOf = (ms: number): string => new Date(ms).toISOString();

/** The most ids of one time that are used. */
export const changedLeadsMax = 250_000;
/** The most entries that one page reads: most of its budget. The next page continues. */
export const entriesPerPage = 25_000;
/** About what a query returns at most: a megabyte. */
const entriesPerQuery = 10_000;
/** A client asks for the next page within seconds. An older read is discarded, so that a back-dated change is not missed for longer. */
const cacheMaxMs = 60_000;
const cachedReads = new BoundedMap<string, CachedRead>(4);

/**
 * The ids of an organization's leads changed since a time. A changed lead stays changed, so the ids of one page are cached. The next
 * page continues that read, or reads only later changes. A read unit for each 80 new ids.
 * @param since epoch milliseconds
 * @param max stops after more ids than this, unless they were all known before
 */
export async function readChangedLeads(
  own: OrganizationTable,
  since: number,
  max: number,
  budget: PageBudget,
): Promise<ChangedLeads> {
  const read = cachedReadOf(own.organizationId, since);
  const most = read.wholeAt === undefined ? max : changedLeadsMax;
  let isComplete = false;
  let count = 0;
  while (!isComplete && read.ids.length <= most && count < entriesPerPage && !budget.isSpent) {
    const pass = read.pass ?? nextPass(read, since);
    const { entries, next } = await readEntries(
      own.table,
      {
        IndexName: 'leadsByUpdate',
        KeyConditionExpression: 'updateKey = :leads AND updatedAt >= :from',
        ExpressionAttributeValues: {
          ':leads': updateIndexKey(own.organizationId),
          ':from': pass.from,
        },
        Limit: Math.min(max + 1, entriesPerQuery, entriesPerPage - count),
        ExclusiveStartKey: pass.next,
      },
      budget,
    );
    count += entries.length;
    addEntries(read, entries);
    read.pass = next && { ...pass, next };
    if (next === undefined) {
      // A pass that began on an earlier page may have gone by entries that the index has shown since.
      isComplete = pass.begunAt >= budget.begunAt;
      read.wholeAt = pass.begunAt;
    }
  }
  for (const [leadId, kb] of read.largeKb) budget.noteSize(leadId, kb);
  return { ids: read.ids, isComplete, largeKb: read.largeKb };
}

/** Two lists of ids, each highest first, as one. A page may merge thousands of ids into 250,000 many times: a `Set` takes five times the memory. */
function merged(some: readonly number[], others: readonly number[]): number[] {
  const all: number[] = [];
  for (let at = 0, otherAt = 0; at < some.length || otherAt < others.length; ) {
    const [leadId, other] = [some[at] ?? 0, others[otherAt] ?? 0];
    all.push(Math.max(leadId, other));
    if (leadId >= other) at += 1;
    if (other >= leadId) otherAt += 1;
  }
  return all;
}

/** The clock that dated the newest change may be far ahead; earlier dates may have been committed since the index was read. */
const nextPass = (
  { newest, wholeAt = Number.POSITIVE_INFINITY }: CachedRead,
  since: number,
): Pass => ({
  from: dateOf(Math.max(since, Math.min(newest, wholeAt) - lateMs)),
  begunAt: Date.now(),
  next: undefined,
});

function addEntries(read: CachedRead, entries: readonly LeadIndexEntry[]): void {
  if (entries.length > 0) read.ids = merged(read.ids, highestFirst(new Set(entries.map(idOf))));
  for (const entry of entries) {
    if (entry.largeKb !== undefined) read.largeKb.set(idOf(entry), entry.largeKb);
    read.newest = Math.max(read.newest, Date.parse(entry.updatedAt));
  }
}

/** The cached read of this organization and time, or a new one. */
function cachedReadOf(organizationId: number, since: number): CachedRead {
  const name = `${organizationId} ${since}`;
  const known = cachedReads.get(name);
  const begunAt = Date.now();
  const isFresh = known !== undefined && begunAt - known.begunAt < cacheMaxMs;
  const read: CachedRead = isFresh
    ? known
    : {
        begunAt,
        ids: [],
        largeKb: new Map(),
        newest: since,
        pass: undefined,
        wholeAt: undefined,
      };
  cachedReads.set(name, read); // the most recently used is discarded last
  return read;
}

/** The most leads that are examined besides a list's own; their entries are 4 KB, half a read unit. */
const justChangedMax = 40;

/**
 * The ids of the leads that changed within the last seconds, while an index may lag. A lead that moves is removed from its old place in an
 * index before it is added at the new one: in between, a list that it never left, such as its pipeline's, finds it in neither. The update
 * index is a different index and tells which leads moved. One query, half a read unit.
 */
export function justChangedIds(
  { table, organizationId }: OrganizationTable,
  budget: PageBudget,
): LeadIds {
  const read = async (): Promise<LeadIds> => {
    const now = Date.now();
    const query = {
      IndexName: 'leadsByUpdate',
      KeyConditionExpression: 'updateKey = :leads AND updatedAt BETWEEN :from AND :to',
      ExpressionAttributeValues: {
        ':leads': updateIndexKey(organizationId),
        ':from': dateOf(now - lateMs),
        ':to': dateOf(now + aheadMs), // a change dated further ahead would displace others
      },
      ScanIndexForward: false,
      Limit: justChangedMax,
    } as const;
    const { entries } = await readEntries(table, query, budget);
    return listedIds(highestFirst(entries.map(idOf)));
  };
  let ids: Promise<LeadIds> | undefined;
  return async (below) => {
    ids ??= read();
    return (await ids)(below);
  };
}
