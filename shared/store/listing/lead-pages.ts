import { limits } from '../../contract/limits.ts';
import type { Lead } from '../../leads/lead.ts';
import { leadFrom } from '../leads/leads.ts';
import { batchGetWithin } from '../table/batch-get.ts';
import type { OrganizationTable } from '../table/client.ts';
import { bytesPerReadUnit } from '../table/consumed-capacity.ts';
import { leadPrimaryKey } from '../table/primary-keys.ts';
import { aboveAllIds, type LeadIds, listedIds } from './lead-ids.ts';
import type { PageBudget } from './page-budget.ts';

/** Consecutive leads that were examined, highest id first. */
export interface LeadChunk {
  readonly leads: readonly Lead[];
  /** Every lead from this id upwards has been examined; 1 if no lead follows. */
  readonly downTo: number;
}

/**
 * Reads about `requested` leads with ids lower than `below`; fewer only if the chunk ends for another reason. A chunk without leads ends
 * the page.
 */
export type LeadReader = (below: number, requested: number) => Promise<LeadChunk>;

export interface LeadPage {
  readonly leads: readonly Lead[];
  /** The id of the last examined lead; null if no lead follows. */
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
 * One page of leads, highest id first. It examines a bounded number of leads, so it may be short or even empty: only a null cursor ends the
 * list (design, section 5). A lead that does not change is in exactly one page of a list.
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
    // One lead more than fits into the page shows whether another page follows.
    const missing = limit + 1 - leads.length;
    // How many leads the rest of the page needs, by the share that has matched so far.
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

const unreadRetryMs = 300;

/** Leads in one batch: a page of the default size, and one lead that shows whether another page follows. */
const batchLeads = limits.pageSizeDefault + 1;

/** The bytes that DynamoDB charges to fetch a lead. */
const fetchedBytes = ({ fields }: Lead): number =>
  Math.max(bytesPerReadUnit, Buffer.byteLength(JSON.stringify(fields)));

/**
 * Fetches leads by id, in batches. Reads each lead from the table, because indexes lag behind it.
 * @param recentlyChanged a few ids that the list may lack for a moment; most of them do not match
 */
export function leadsByIds(
  { table, organizationId }: OrganizationTable,
  ids: LeadIds,
  budget: PageBudget,
  recentlyChanged: LeadIds = listedIds([]),
): LeadReader {
  return async (below, requested) => {
    const most = Math.min(requested, batchLeads);
    const { leadIds, downTo } = await nextIds([ids, recentlyChanged], below, most, budget);
    const keys = leadIds.map((leadId) => leadPrimaryKey(organizationId, leadId));
    const { items, isUnread } = await batchGetWithin(table, keys, unreadRetryMs);
    // A lead that DynamoDB left unprocessed may exist, so the chunk ends before it.
    const firstUnread = keys.findIndex(isUnread);
    const read = firstUnread === -1 ? keys : keys.slice(0, firstUnread);
    const leads = read
      .flatMap((key) => items.get(key) ?? [])
      .map((item) => leadFrom(organizationId, item));
    for (const lead of leads) budget.spend(fetchedBytes(lead));
    return { leads, downTo: firstUnread === -1 ? downTo : (leadIds[firstUnread - 1] ?? below) };
  };
}

/** Reads up to `most` ids of a list, and the recently changed ids between them. Both are read in parallel. */
async function nextIds(
  lists: readonly [ids: LeadIds, recentlyChanged: LeadIds],
  below: number,
  most: number,
  budget: PageBudget,
): Promise<{ readonly leadIds: readonly number[]; readonly downTo: number }> {
  const leadIds: number[] = [];
  let downTo = below;
  for (let listed = 0; listed < most && !(budget.isSpent && leadIds.length > 0); ) {
    const [next = 0, recent = 0] = await Promise.all(lists.map((list) => list(downTo)));
    downTo = Math.max(next, recent);
    if (downTo === 0) return { leadIds, downTo: 1 };
    leadIds.push(downTo);
    if (downTo === next) listed += 1;
  }
  return { leadIds, downTo };
}
