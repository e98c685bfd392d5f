import type { Lead } from '../../leads/lead.ts';
import { leadFrom } from '../leads/leads.ts';
import { batchGetMax, batchGetWithin } from '../table/batch-get.ts';
import type { OrganizationTable } from '../table/client.ts';
import { bytesPerReadUnit } from '../table/consumed-capacity.ts';
import { leadPrimaryKey } from '../table/primary-keys.ts';
import { aboveAllIds, type LeadIds, listedIds } from './lead-ids.ts';
import type { PageBudget } from './page-budget.ts';

/** Consecutive leads that were examined, highest id first. */
export interface LeadChunk {
  readonly leads: readonly Lead[];
  /** Every lead from this id up has been examined; 1 when no lead follows. */
  readonly downTo: number;
}

/**
 * Reads leads with ids lower than `below`, about as many as requested, and fewer only where a chunk ends for another reason. A chunk that
 * examined nothing ends the page.
 */
export type LeadReader = (below: number, requested: number) => Promise<LeadChunk>;

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
  read: LeadReader,
  { limit, cursor, matches, hasRoom }: PageQuery,
  budget: PageBudget,
): Promise<LeadPage> {
  const leads: Lead[] = [];
  const start = cursor ?? aboveAllIds;
  let below = start;
  let examined = 0;
  while (true) {
    // One lead more than the page has room for tells whether another page follows.
    const missing = limit + 1 - leads.length;
    // As many as the rest of the page needs, by the share of leads that has matched.
    const expected = Math.ceil((1.2 * missing * examined) / Math.max(0.5, leads.length));
    const chunk = await read(below, Math.max(missing, expected));
    examined += chunk.leads.length;
    for (const lead of chunk.leads) {
      if (!matches(lead)) continue;
      const last = leads.at(-1);
      if (last && (leads.length === limit || !hasRoom(lead))) return { leads, nextCursor: last.id };
      if (!last) hasRoom(lead);
      leads.push(lead);
    }
    if (chunk.downTo <= 1) return { leads, nextCursor: null };
    const isEnded = chunk.downTo === below || budget.isSpent;
    below = chunk.downTo;
    if (leads.length === limit || isEnded) {
      if (below >= start) throw new Error('No lead of the page could be read.');
      return { leads, nextCursor: below };
    }
  }
}

/** Begins with a chunk that was read already, if there is one. */
export function readOn(first: LeadChunk | undefined, read: LeadReader): LeadReader {
  let next = first;
  return async (below, requested) => {
    const chunk = next ?? (await read(below, requested));
    next = undefined;
    return chunk;
  };
}

const unreadRetryMs = 300;

/** The bytes that are paid for to fetch a lead. */
const fetchedBytes = ({ fields }: Lead): number =>
  Math.max(bytesPerReadUnit, Buffer.byteLength(JSON.stringify(fields)));

/**
 * Fetches leads by id, in batches. Each is read from the table, because an index lags behind it.
 * @param further a few ids that the list may lack for a moment; most of them do not match
 */
export function leadsByIds(
  { table, organizationId }: OrganizationTable,
  ids: LeadIds,
  budget: PageBudget,
  further: LeadIds = listedIds([]),
): LeadReader {
  return async (below, requested) => {
    const { leadIds, downTo } = await nextIds([ids, further], below, requested, budget);
    const keys = leadIds.map((leadId) => leadPrimaryKey(organizationId, leadId));
    const { items, isUnread } = await batchGetWithin(table, keys, unreadRetryMs);
    const firstUnread = keys.findIndex(isUnread);
    const read = firstUnread === -1 ? keys : keys.slice(0, firstUnread);
    const leads = read
      .flatMap((key) => items.get(key) ?? [])
      .map((item) => leadFrom(organizationId, item));
    for (const lead of leads) budget.spend(fetchedBytes(lead));
    if (firstUnread === -1) return { leads, downTo };
    budget.isCutShort = true; // a lead that DynamoDB left unread may exist: the page ends before it
    return { leads, downTo: leadIds[firstUnread - 1] ?? below };
  };
}

/**
 * Reads up to `requested` ids of a list, and the further ids between them, within one batch and the budget. Both lists are read in
 * parallel.
 */
async function nextIds(
  lists: readonly [list: LeadIds, further: LeadIds],
  below: number,
  requested: number,
  budget: PageBudget,
): Promise<{ readonly leadIds: readonly number[]; readonly downTo: number }> {
  const leadIds: number[] = [];
  let listed = 0;
  let leadBytes = 0;
  while (listed < requested && leadIds.length < batchGetMax) {
    const downTo = leadIds.at(-1) ?? below;
    const [next = 0, other = 0] = await Promise.all(lists.map((list) => list(downTo)));
    const leadId = Math.max(next, other);
    if (leadId === 0) return { leadIds, downTo: 1 };
    leadBytes += budget.bytesAtMost(leadId);
    if (leadBytes > budget.bytesLeft) return { leadIds, downTo: leadId + 1 };
    leadIds.push(leadId);
    if (leadId === next) listed += 1;
    if (budget.isCutShort) break;
  }
  return { leadIds, downTo: leadIds.at(-1) ?? below };
}
