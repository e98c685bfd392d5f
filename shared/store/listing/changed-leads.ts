import { BoundedMap } from '../../base/maps.ts';
import { limits } from '../../contract/limits.ts';
import type { OrganizationTable } from '../table/client.ts';
import type { LeadIndexEntry } from '../table/items.ts';
import { updateIndexKey } from '../table/primary-keys.ts';
import { highestFirst, idOf, type LeadIds, listedIds, readEntries } from './lead-ids.ts';
import type { PageBudget } from './page-budget.ts';

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
  readonly known: Set<number>;
  /** The known ids, highest first. */
  ids: readonly number[];
  /** The latest `updatedAt` that was read, in epoch milliseconds on the clock of the function that wrote it. */
  newest: number;
  /** The pass that has not reached the end of the index. */
  pass: Pass | undefined;
  /** When the last pass that reached the end began; undefined before the first. */
  wholeAt: number | undefined;
}

/** How long after its date a change may be missing from an index: up to ten seconds until its commit, and ten more of index lag. */
const lateMs = limits.functionTimeoutSeconds * 1000 + 10_000;
/** How far ahead the clock of a change may be. */
const aheadMs = 10_000;
const dateOf = (ms: number): string => new Date(ms).toISOString();

/** If more leads have changed, they are not looked up by id. */
export const changedLeadsMax = 100_000;
/**
 * The entries that one page reads, in one query of up to a megabyte. The next page continues. A partition accepts 1,000 writes a second,
 * two for each lead. So no more leads can have changed in the seconds that each page reads again.
 */
export const entriesPerPage = 12_500;
/** A client requests the next page within seconds. An older read is discarded, so that a back-dated change is not missed for longer. */
const cacheMaxMs = 60_000;
const cachedReads = new BoundedMap<string, CachedRead>(4);

/**
 * The ids of an organization's leads changed since a time, highest first, or undefined as long as not all of them are known. A changed lead
 * stays changed, so a page's ids are cached. The next page continues that read, or reads only later changes. A read unit for each 80 new
 * ids.
 * @param since epoch milliseconds
 */
export async function readChangedIds(
  scope: OrganizationTable,
  since: number,
  budget: PageBudget,
): Promise<readonly number[] | undefined> {
  const read = cachedReadOf(scope.organizationId, since);
  if (read.ids.length > changedLeadsMax) return undefined;
  const isBegunHere = read.pass === undefined;
  const pass = read.pass ?? nextPass(read, since);
  const { entries, next } = await readEntries(
    scope.table,
    {
      IndexName: 'leadsByUpdate',
      KeyConditionExpression: 'updateKey = :leads AND updatedAt >= :from',
      ExpressionAttributeValues: {
        ':leads': updateIndexKey(scope.organizationId),
        ':from': pass.from,
      },
      Limit: entriesPerPage,
      ExclusiveStartKey: pass.next,
    },
    budget,
  );
  addEntries(read, entries);
  read.pass = next && { ...pass, next };
  if (next !== undefined) return undefined;
  read.wholeAt = pass.begunAt;
  // A pass that began on an earlier page may have passed entries before the index showed them.
  return isBegunHere ? read.ids : undefined;
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
  for (const entry of entries) {
    read.known.add(idOf(entry));
    read.newest = Math.max(read.newest, Date.parse(entry.updatedAt));
  }
  if (read.known.size > read.ids.length) read.ids = highestFirst(read.known);
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
        known: new Set(),
        ids: [],
        newest: since,
        pass: undefined,
        wholeAt: undefined,
      };
  cachedReads.set(name, read); // the most recently used is discarded last
  return read;
}

/** The maximum number of leads that are examined in addition to a list's own. Their entries are 4 KB, half a read unit. */
const recentlyChangedMax = 40;

/**
 * The ids of the leads that changed within the last seconds, while an index may lag. When a lead moves, it is removed from its old place in
 * an index before it is added at the new one. In between, even a list that it never left, such as its pipeline's, finds it in neither
 * place. The update index is separate and shows which leads moved. One query, half a read unit.
 */
export function recentlyChangedIds(
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
        ':to': dateOf(now + aheadMs), // changes dated further ahead would displace others
      },
      ScanIndexForward: false,
      Limit: recentlyChangedMax,
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
