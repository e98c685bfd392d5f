import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { OrganizationTable } from '../table/client.ts';
import { itemsOf } from '../table/get-item.ts';
import type { LeadIndexEntry } from '../table/items.ts';
import { updateIndexKey } from '../table/primary-keys.ts';
import { idOf, indexEntryBytes, type LeadIds, listedIds } from './lead-ids.ts';
import type { PageBudget } from './page-budget.ts';

/** The leads changed since a time, as many as were read. */
export interface ChangedLeads {
  readonly ids: ChangedIds;
  /** False if there are more than were read: then a lead that is not among them may have changed too. */
  readonly isComplete: boolean;
  /** The sizes of the large ones, in KB. */
  readonly largeKb: ReadonlyMap<number, number>;
}

/** Ids of leads, each once, in four bytes each: a function caches hundreds of thousands of them. */
export class ChangedIds implements LeadIds {
  #ascending = new Uint32Array(0);

  get size(): number {
    return this.#ascending.length;
  }

  addAll(leadIds: readonly number[]): void {
    const added = new Set(leadIds.filter((id) => this.#ascending[this.countBelow(id)] !== id));
    if (added.size === 0) return;
    const all = new Uint32Array(this.size + added.size);
    all.set(this.#ascending);
    all.set([...added], this.size);
    this.#ascending = all.sort();
  }

  /** By binary search. */
  countBelow(below: number): number {
    let [from, to] = [0, this.size];
    while (from < to) {
      const middle = (from + to) >>> 1;
      if ((this.#ascending[middle] ?? 0) < below) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  get highest(): number {
    return this.#ascending.at(-1) ?? 0;
  }

  async next(below: number): Promise<number | undefined> {
    return this.#ascending[this.countBelow(below) - 1];
  }

  [Symbol.iterator](): Iterator<number> {
    return this.#ascending.values();
  }
}

interface CachedRead extends ChangedLeads {
  /** When the first read began, in epoch milliseconds. */
  readonly begunAt: number;
  readonly largeKb: Map<number, number>;
  /** The `updatedAt` from which the index is being read. */
  from: string;
  /** When reading from there began, in epoch milliseconds. */
  fromBegunAt: number;
  /** The latest `updatedAt` that was read, by the clock of the function that wrote it. */
  newest: string;
  next: Record<string, unknown> | undefined;
  isComplete: boolean;
  /** Whether it has been complete before, and is being extended with later changes. */
  isExtended: boolean;
}

/** An index lags behind the table, and `updatedAt` is set just before the commit. */
const indexLagMs = 10_000;
const lagBefore = (ms: number): string => new Date(Math.max(0, ms - indexLagMs)).toISOString();

/** The most ids that are cached: one megabyte. */
export const changedLeadsMax = 250_000;
/** The most entries that one page reads: most of its budget. The next page continues. */
export const entriesPerPage = 25_000;
/** Entries in one query that extends a cached read: 100 KB. */
const extensionEntries = 1000;
/** A client asks for the next page within seconds. An older read is discarded, so that a back-dated change is not missed for longer. */
const cacheMaxMs = 60_000;
const cachedReadsMax = 8;
const cachedReads = new Map<string, CachedRead>();

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
  const cachedRead = cachedReadOf(own.organizationId, since);
  if (cachedRead.isComplete) beginExtension(cachedRead);
  // A complete read is only extended with later changes, whatever its size.
  const most = cachedRead.isExtended ? changedLeadsMax : max;
  let entries = 0;
  while (
    !cachedRead.isComplete &&
    cachedRead.ids.size <= most &&
    entries < entriesPerPage &&
    !budget.isSpent
  ) {
    // Most entries of an extension are known ids: the number of ids to add does not tell how many entries to read.
    const limit = cachedRead.isExtended
      ? extensionEntries
      : Math.min(most + 1 - cachedRead.ids.size, entriesPerPage - entries);
    const count = await readEntries(own, cachedRead, limit);
    entries += count;
    budget.spend(count * indexEntryBytes);
    // A read that began on an earlier page may have passed entries that the index has shown since.
    if (cachedRead.isComplete && cachedRead.fromBegunAt < budget.begunAt)
      beginExtension(cachedRead);
  }
  for (const [leadId, kb] of cachedRead.largeKb) budget.noteSize(leadId, kb);
  return cachedRead;
}

function beginExtension(cachedRead: CachedRead): void {
  // The clock that dated the newest change may be far ahead; earlier dates may have been committed since the index was read.
  cachedRead.from = lagBefore(Math.min(Date.parse(cachedRead.newest), cachedRead.fromBegunAt));
  cachedRead.fromBegunAt = Date.now();
  cachedRead.isComplete = false;
  cachedRead.isExtended = true;
}

/** Adds the next entries of the index. @returns how many were read */
async function readEntries(
  { table, organizationId }: OrganizationTable,
  cachedRead: CachedRead,
  limit: number,
): Promise<number> {
  const { Items, LastEvaluatedKey } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      IndexName: 'leadsByUpdate',
      KeyConditionExpression: 'updateKey = :leads AND updatedAt >= :from',
      ExpressionAttributeValues: {
        ':leads': updateIndexKey(organizationId),
        ':from': cachedRead.from,
      },
      Limit: limit,
      ExclusiveStartKey: cachedRead.next,
    }),
  );
  const entries = itemsOf<LeadIndexEntry>(Items);
  addEntries(cachedRead, entries);
  cachedRead.next = LastEvaluatedKey;
  cachedRead.isComplete = LastEvaluatedKey === undefined;
  return entries.length;
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
    const { Items } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        IndexName: 'leadsByUpdate',
        KeyConditionExpression: 'updateKey = :leads AND updatedAt BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':leads': updateIndexKey(organizationId),
          ':from': lagBefore(now),
          ':to': new Date(now + indexLagMs).toISOString(), // a change dated further ahead would displace others
        },
        ScanIndexForward: false,
        Limit: justChangedMax,
      }),
    );
    const entries = itemsOf<LeadIndexEntry>(Items);
    for (const entry of entries) budget.noteSize(idOf(entry), entry.largeKb);
    budget.spend(entries.length * indexEntryBytes);
    return listedIds(entries.map(idOf));
  };
  let ids: Promise<LeadIds> | undefined;
  return {
    async next(below) {
      ids ??= read();
      return (await ids).next(below);
    },
  };
}

function addEntries(cachedRead: CachedRead, entries: readonly LeadIndexEntry[]): void {
  cachedRead.ids.addAll(entries.map(idOf));
  for (const entry of entries) {
    if (entry.largeKb !== undefined) cachedRead.largeKb.set(idOf(entry), entry.largeKb);
    if (entry.updatedAt > cachedRead.newest) cachedRead.newest = entry.updatedAt;
  }
}

/** The cached read of this organization and time, or a new one, which takes the place of the least recently used. */
function cachedReadOf(organizationId: number, since: number): CachedRead {
  const name = `${organizationId} ${since}`;
  const from = lagBefore(since);
  const begunAt = Date.now();
  const known = cachedReads.get(name);
  const isFresh = known !== undefined && begunAt - known.begunAt < cacheMaxMs;
  const cachedRead: CachedRead = isFresh
    ? known
    : {
        begunAt,
        ids: new ChangedIds(),
        largeKb: new Map(),
        from,
        fromBegunAt: begunAt,
        newest: from,
        next: undefined,
        isComplete: false,
        isExtended: false,
      };
  cachedReads.delete(name);
  cachedReads.set(name, cachedRead);
  discardOldest();
  return cachedRead;
}

/** Keeps the number of cached reads, and of all their ids, below their maximum; the read in use is the newest. */
function discardOldest(): void {
  let ids = [...cachedReads.values()].reduce((sum, read) => sum + read.ids.size, 0);
  for (const [name, read] of cachedReads) {
    if (cachedReads.size <= cachedReadsMax && (ids <= changedLeadsMax || cachedReads.size === 1))
      return;
    cachedReads.delete(name);
    ids -= read.ids.size;
  }
}
