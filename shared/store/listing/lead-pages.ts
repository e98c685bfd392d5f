import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../leads/lead.ts';
import { leadFrom } from '../leads/leads.ts';
import { batchGetWithin, unread } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { leadPrimaryKey, leadSortKey, leadsPartitionKey } from '../table/primary-keys.ts';
import { aboveAllIds, type LeadIds } from './lead-ids.ts';
import { type PageBudget, PageEndedError } from './page-budget.ts';

/** A stretch of leads that was looked at, highest id first. */
export interface LeadChunk {
  readonly leads: readonly Lead[];
  /** Every lead from this id up has been looked at. */
  readonly downTo: number;
  /** `end`: there are no further leads; `spent`: nothing more can be read for this page. */
  readonly after: 'more' | 'end' | 'spent';
}

/** Where leads are read from: `read(below, wanted)` looks at some with lower ids, `wanted` at least as far as they are there. */
export interface LeadReader {
  read(below: number, wanted: number): Promise<LeadChunk>;
}

export interface LeadPage {
  readonly leads: readonly Lead[];
  /** The id of the last lead looked at; null when there is none below it. */
  readonly nextCursor: number | null;
}

export interface PageQuery {
  readonly limit: number;
  readonly cursor: number | undefined;
  readonly matches: (lead: Lead) => boolean;
  /** Whether the answer has room for a further lead; asked once for each lead of the page. */
  readonly hasRoom: (lead: Lead) => boolean;
}

/**
 * One page of leads, highest id first. It looks at a bounded amount and may come back short, even empty, with a cursor: only null
 * ends the walk (design, section 5). A lead that does not move is in exactly one page of a walk.
 * @throws Error when not one lead could be looked at.
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
    // One lead more than the page holds tells whether another page follows.
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
      if (below >= start) throw new Error('Not one lead of the page could be read.');
      return { leads, nextCursor: below };
    }
  }
}

/** DynamoDB's price of a consistent read: one unit for 4 KB. */
const bytesPerReadUnit = 4096;
/** What one query gives at the most (AWS: Query, "1 MB of data"), in whole read units. */
const queryMaxBytes = 257 * bytesPerReadUnit;
/** Of that, what a range is planned to hold: one that DynamoDB stops in the middle makes the ranges below it useless. */
const rangeBytes = 0.8 * queryMaxBytes;
const parallelRanges = 4;
const rangeIdsMin = 25;
/** How much further than the last look the next one goes, at the most: a few leads say little about the many. */
const growthMax = 50;
/** The most keys of one `BatchGetItem` (AWS: Service quotas). */
const batchMax = 100;
const unreadPatienceMs = 300;

/**
 * Walks the leads themselves: the page's size first, then, where few match, ranges of ids side by side, as far as the share of leads
 * that matched so far lets expect the rest of the page.
 */
export function scanLeads(table: Table, organizationId: number, budget: PageBudget): LeadReader {
  const seen = { ids: 0, bytes: 0, wanted: 0 };

  const query = async (below: number, from: number, limit?: number): Promise<Range> => {
    const {
      Items = [],
      LastEvaluatedKey,
      ConsumedCapacity,
    } = await table.client.send(
      new QueryCommand({
        TableName: table.name,
        KeyConditionExpression: 'pk = :leads AND sk BETWEEN :from AND :to',
        ExpressionAttributeValues: {
          ':leads': leadsPartitionKey(organizationId),
          ':from': leadSortKey(from),
          ':to': leadSortKey(below - 1),
        },
        ScanIndexForward: false,
        ConsistentRead: true,
        Limit: limit,
        ReturnConsumedCapacity: 'TOTAL',
      }),
    );
    const leads = Items.map((item) => leadFrom(organizationId, item));
    const isWhole = LastEvaluatedKey === undefined;
    const downTo = isWhole ? from : (leads.at(-1)?.id ?? below);
    const bytes = (ConsumedCapacity?.CapacityUnits ?? 0) * bytesPerReadUnit;
    budget.spend(bytes);
    seen.bytes += bytes;
    return { leads, downTo, isWhole };
  };

  /** Ids that are worth reading for the leads still wanted, by what was seen. */
  const worthwhileIds = (wanted: number): number => {
    const matched = Math.max(0.5, seen.wanted - wanted);
    const expected = Math.ceil((1.2 * wanted * seen.ids) / matched);
    return Math.max(rangeIdsMin, Math.min(expected, growthMax * seen.ids));
  };

  return {
    async read(below, wanted) {
      if (below <= 1) return joined([]); // no range: DynamoDB refuses one that ends before it begins
      if (seen.wanted === 0) {
        seen.wanted = wanted;
        const first = joined([await query(below, 1, wanted)]);
        seen.ids = Math.max(1, (first.leads[0]?.id ?? 0) - first.downTo + 1);
        return first;
      }
      const rangesMax = Math.min(parallelRanges, Math.floor(budget.bytesLeft / queryMaxBytes));
      if (rangesMax === 0) return { leads: [], downTo: below, after: 'spent' };
      const idsPerRange = Math.max(1, Math.floor((rangeBytes * seen.ids) / Math.max(1, seen.bytes)));
      const ids = Math.min(worthwhileIds(wanted), rangesMax * idsPerRange, below - 1);
      const ranges = Math.min(rangesMax, Math.ceil(ids / rangeIdsMin));
      const rangeIds = Math.ceil(ids / ranges);
      const starts = Array.from({ length: ranges }, (_, range) => below - range * rangeIds).filter((start) => start > 1);
      const chunk = joined(await Promise.all(starts.map((start) => query(start, Math.max(1, start - rangeIds)))));
      seen.ids += below - chunk.downTo;
      return chunk;
    },
  };
}

/** A stretch within one range of ids; not whole where DynamoDB stopped before the range's end. */
interface Range extends Omit<LeadChunk, 'after'> {
  readonly isWhole: boolean;
}

/** Ranges that follow one another as one stretch, up to and with the first that is not whole. */
function joined(ranges: readonly Range[]): LeadChunk {
  const broken = ranges.findIndex(({ isWhole }) => !isWhole);
  const read = broken === -1 ? ranges : ranges.slice(0, broken + 1);
  const downTo = read.at(-1)?.downTo ?? 1;
  return { leads: read.flatMap(({ leads }) => leads), downTo, after: broken === -1 && downTo <= 1 ? 'end' : 'more' };
}

/** Leads by their ids, in batches; each is read again as it is now, since an index lags the table by a moment. */
export function leadsByIds(table: Table, organizationId: number, ids: LeadIds, budget: PageBudget): LeadReader {
  let first = 0;
  let lookedAt = 0;

  return {
    async read(below, wanted) {
      first ||= wanted;
      // As many as hold the rest of the page, by the share that matched so far.
      const expected = Math.ceil((1.2 * wanted * lookedAt) / Math.max(0.5, first - wanted));
      const batch = Math.min(batchMax, Math.max(wanted, expected));
      const { found, downTo, after } = await take(ids, below, batch, budget);
      lookedAt += found.filter((leadId) => !ids.isDoubtful?.(leadId)).length;
      const keys = found.map((leadId) => leadPrimaryKey(organizationId, leadId));
      const items = found.length === 0 ? [] : await batchGetWithin(table, keys, unreadPatienceMs);
      const firstUnread = items.indexOf(unread);
      const read = firstUnread === -1 ? items : items.slice(0, firstUnread);
      const leads = read.flatMap((item) => (item && item !== unread ? [leadFrom(organizationId, item)] : []));
      for (const { fields } of leads) budget.spend(Math.max(bytesPerReadUnit, Buffer.byteLength(JSON.stringify(fields))));
      if (firstUnread === -1) return { leads, downTo, after };
      // What stayed unread is not absent: the page ends before it.
      return { leads, downTo: found[firstUnread - 1] ?? below, after: 'spent' };
    },
  };
}

/** As many ids below one as wanted, doubtful ones besides, as far as they are there, fit into a batch, and the budget lasts for their leads. */
async function take(ids: LeadIds, below: number, wanted: number, budget: PageBudget) {
  const found: number[] = [];
  let downTo = below;
  let leadBytes = 0;
  let doubtful = 0;
  try {
    while (found.length - doubtful < wanted && found.length < batchMax) {
      const leadId = await ids.next(downTo);
      if (leadId === undefined) return { found, downTo: 1, after: 'end' } as const;
      leadBytes += budget.bytesAtMost(leadId);
      if (leadBytes > budget.bytesLeft) return { found, downTo, after: found.length === 0 ? 'spent' : 'more' } as const;
      found.push(leadId);
      if (ids.isDoubtful?.(leadId)) doubtful += 1;
      downTo = leadId;
    }
    return { found, downTo, after: 'more' } as const;
  } catch (error) {
    if (!(error instanceof PageEndedError)) throw error;
    return { found, downTo: error.lookedAtDownTo, after: 'spent' } as const;
  }
}
