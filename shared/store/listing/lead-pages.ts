import type { Lead } from '../../leads/lead.ts';
import { leadFrom } from '../leads/leads.ts';
import { batchGetMax, batchGetWithin } from '../table/batch-get.ts';
import type { OrganizationTable } from '../table/client.ts';
import { leadPrimaryKey } from '../table/primary-keys.ts';
import { bytesPerReadUnit } from '../table/read-units.ts';
import { aboveAllIds, type LeadIds } from './lead-ids.ts';
import { type PageBudget, PageEndedError } from './page-budget.ts';

/** Consecutive leads that were examined, highest id first. */
export interface LeadChunk {
  readonly leads: readonly Lead[];
  /** Every lead from this id up has been examined. */
  readonly downTo: number;
  /** `end`: there are no more leads; `spent`: this page can read no more. */
  readonly after: 'more' | 'end' | 'spent';
}

/** A source of leads for a page. */
export interface LeadReader {
  /** Reads leads with ids lower than `below`, about as many as requested, and fewer only where a chunk ends for another reason. */
  read(below: number, requested: number): Promise<LeadChunk>;
}

export interface LeadPage {
  readonly leads: readonly Lead[];
  /** The id of the last lead that was examined; null if no lead follows. */
  readonly nextCursor: number | null;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor: number | undefined;
  readonly matches: (lead: Lead) => boolean;
  /** Whether the response has room for another lead; called once for each lead of the page. */
  readonly hasRoom: (lead: Lead) => boolean;
}

/**
 * One page of leads, highest id first. It examines a bounded amount and may be short, even empty, with a cursor: only a null cursor
 * ends the list (design, section 5). A lead that does not change is in exactly one page of a list.
 * @throws Error if not even one lead could be examined
 */
export async function readLeadPage(
  reader: LeadReader,
  { limit, cursor, matches, hasRoom }: PageQuery,
  budget: PageBudget,
): Promise<LeadPage> {
  const leads: Lead[] = [];
  const start = cursor ?? aboveAllIds;
  let below = start;
  while (true) {
    // One lead more than the page has room for tells whether another page follows.
    const chunk = await reader.read(below, limit + 1 - leads.length);
    for (const lead of chunk.leads) {
      if (!matches(lead)) continue;
      const last = leads.at(-1);
      if (last && (leads.length === limit || !hasRoom(lead))) return { leads, nextCursor: last.id };
      if (!last) hasRoom(lead);
      leads.push(lead);
    }
    if (chunk.after === 'end' || chunk.downTo <= 1) return { leads, nextCursor: null }; // ids begin at 1
    below = chunk.downTo;
    if (leads.length === limit || chunk.after === 'spent' || budget.isSpent) {
      if (below >= start) throw new Error('No lead of the page could be read.');
      return { leads, nextCursor: below };
    }
  }
}

/** A reader whose first chunk was read already. */
export function readOn(first: LeadChunk | undefined, reader: LeadReader): LeadReader {
  let next = first;
  return {
    async read(below, requested) {
      const chunk = next ?? (await reader.read(below, requested));
      next = undefined;
      return chunk;
    },
  };
}

const unreadRetryMs = 300;

/** The bytes that are paid for to fetch a lead. */
const fetchedBytes = ({ fields }: Lead): number =>
  Math.max(bytesPerReadUnit, Buffer.byteLength(JSON.stringify(fields)));

/** Fetches leads by id, in batches. Each is read from the table, because an index lags behind it. */
export function leadsByIds(own: OrganizationTable, ids: LeadIds, budget: PageBudget): LeadReader {
  let firstRequested = 0;
  let examined = 0;

  return {
    async read(below, requested) {
      firstRequested ||= requested;
      // As many as the rest of the page needs, by the share of leads that has matched.
      const expected = Math.ceil(
        (1.2 * requested * examined) / Math.max(0.5, firstRequested - requested),
      );
      const batchSize = Math.min(batchGetMax, Math.max(requested, expected));
      const batch = await nextIds(ids, below, batchSize, budget);
      examined += batch.leadIds.filter((leadId) => !ids.isUncertain?.(leadId)).length;
      const { leads, unreadFrom } = await fetchLeads(own, batch.leadIds);
      for (const lead of leads) budget.spend(fetchedBytes(lead));
      if (unreadFrom === undefined) return { leads, downTo: batch.downTo, after: batch.after };
      // A lead that DynamoDB left unread may exist: the page ends before it.
      return { leads, downTo: batch.leadIds[unreadFrom - 1] ?? below, after: 'spent' };
    },
  };
}

/** The leads that exist, up to the first that DynamoDB left unread. */
async function fetchLeads(
  { table, organizationId }: OrganizationTable,
  leadIds: readonly number[],
): Promise<{ leads: Lead[]; unreadFrom: number | undefined }> {
  const keys = leadIds.map((leadId) => leadPrimaryKey(organizationId, leadId));
  const { items, isUnread } = await batchGetWithin(table, keys, unreadRetryMs);
  const firstUnread = keys.findIndex(isUnread);
  const unreadFrom = firstUnread === -1 ? undefined : firstUnread;
  const found = keys.slice(0, unreadFrom).flatMap((key) => items.get(key) ?? []);
  return { leads: found.map((item) => leadFrom(organizationId, item)), unreadFrom };
}

/** The next ids, uncertain ones not counted: as many as requested, as fit into a batch, and as the budget lasts for. */
async function nextIds(ids: LeadIds, below: number, requested: number, budget: PageBudget) {
  const leadIds: number[] = [];
  let downTo = below;
  let leadBytes = 0;
  let uncertain = 0;
  try {
    while (leadIds.length - uncertain < requested && leadIds.length < batchGetMax) {
      const leadId = await ids.next(downTo);
      if (leadId === undefined) return { leadIds, downTo: 1, after: 'end' } as const;
      leadBytes += budget.bytesAtMost(leadId);
      if (leadBytes > budget.bytesLeft)
        return { leadIds, downTo, after: leadIds.length === 0 ? 'spent' : 'more' } as const;
      leadIds.push(leadId);
      if (ids.isUncertain?.(leadId)) uncertain += 1;
      downTo = leadId;
    }
    return { leadIds, downTo, after: 'more' } as const;
  } catch (error) {
    if (!(error instanceof PageEndedError)) throw error;
    return { leadIds, downTo: error.examinedDownTo, after: 'spent' } as const;
  }
}
