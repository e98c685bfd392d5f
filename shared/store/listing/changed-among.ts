import type { Lead } from '../../leads/lead.ts';
import type { OrganizationTable } from '../table/client.ts';
import { bytesPerReadUnit } from '../table/read-units.ts';
import type { ChangedIds } from './changed-ids.ts';
import { type ChangedLeads, changedLeadsMax, readChangedLeads } from './changed-leads.ts';
import { aboveAllIds, allOfIds, changedIdList, indexEntryBytes, type LeadIds } from './lead-ids.ts';
import { fetchedBytes, type LeadChunk, type LeadReader, leadsByIds } from './lead-pages.ts';
import type { PageBudget } from './page-budget.ts';

/** Up to this many changed leads are fetched by id, without comparing their number to that of all leads. */
export const fewUpdates = 1000;

/** What a lead of the page fulfils: changed since then, and in all lists. */
interface ChangeQuery {
  readonly lists: readonly LeadIds[];
  /** Whether a lead is in all lists, by the lead itself. */
  readonly isInLists: (lead: Lead) => boolean;
  /** Epoch milliseconds. */
  readonly updatedSince: number;
}

/**
 * For a list by update time and by ids: if few leads changed, those of them that are in the lists. If many did, only the lists by id are
 * read, until more than half of their leads turn out not to match: then all changed ids are read.
 */
export async function changedAmong(
  own: OrganizationTable,
  query: ChangeQuery,
  budget: PageBudget,
): Promise<LeadReader> {
  const read = (max: number) => readChangedLeads(own, query.updatedSince, max, budget);
  const few = await read(fewUpdates);
  if (few.isComplete) return changedInLists(own, query, few, budget);
  let reader = leadsByIds(own, allOfIds(query.lists, budget), budget);
  let firstRequested: number | undefined;
  let isDecided = false;
  return {
    async read(below, requested) {
      if (firstRequested !== undefined && !isDecided && 2 * requested > firstRequested) {
        isDecided = true;
        const changed = await read(changedLeadsMax);
        if (changed.isComplete) reader = changedInLists(own, query, changed, budget);
      }
      firstRequested ??= requested;
      return reader.read(below, requested);
    },
  };
}

/** Changed leads that are fetched to see how many of them are in the lists. */
const trialLeads = 25;
/** Entries of an index that are read for the price of a lead fetched by id: an index is read at half the price of the table. */
const entriesPerLead = (2 * bytesPerReadUnit) / indexEntryBytes;

/**
 * Leads whose changed ids are all known. Where they are dense, the lists tell which to fetch. Where they lie far apart, a list has hundreds
 * of entries between two of them, or is asked for each of them, one call after another: then the changed leads are fetched, unless the
 * first ones show that too few of them are in the lists.
 */
function changedInLists(
  own: OrganizationTable,
  { lists, isInLists }: ChangeQuery,
  changed: ChangedLeads,
  budget: PageBudget,
): LeadReader {
  const ids = changedIdList(changed.ids);
  const joined = leadsByIds(own, allOfIds([...lists, ids], budget), budget);
  if (isDense(changed.ids) || hasLargeLeads(changed)) return joined;
  const fetched = leadsByIds(own, ids, budget, trialLeads);
  let reader: LeadReader | undefined;
  return {
    async read(below, requested) {
      if (reader) return reader.read(below, requested);
      const trial = await fetched.read(below, requested);
      reader = isCheaperFetched(trial, isInLists) ? fetched : joined;
      return trial;
    },
  };
}

/**
 * Whether fetching a changed lead costs more than the entries of any list up to the next changed one. If the highest id is at most 25, the
 * trial reads every lead.
 */
function isDense(ids: ChangedIds): boolean {
  const highest = ids.highestBelow(aboveAllIds) ?? 0;
  return highest > trialLeads && ids.size * entriesPerLead >= highest;
}

/** Whether the changed leads between two of the lists cost less than a list's entries between them. */
function isCheaperFetched(
  { leads, downTo }: LeadChunk,
  isInLists: ChangeQuery['isInLists'],
): boolean {
  const others = leads.filter((lead) => !isInLists(lead));
  const listed = leads.length - others.length;
  const idsBetweenChanges = ((leads[0]?.id ?? downTo) - downTo) / Math.max(1, leads.length);
  const bytesInVain = others.reduce((sum, lead) => sum + fetchedBytes(lead), 0) / listed;
  return listed > 0 && bytesInVain <= (idsBetweenChanges * indexEntryBytes) / 2;
}

/** Whether the changed leads cost more than a read unit each: those of other lists are then better not fetched. */
const hasLargeLeads = ({ ids, largeKb }: ChangedLeads): boolean =>
  [...largeKb.values()].reduce((sum, kb) => sum + 1000 * kb, 0) > bytesPerReadUnit * ids.size;
