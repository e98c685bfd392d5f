import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { leadFrom } from '../leads/leads.ts';
import type { OrganizationTable } from '../table/client.ts';
import { leadSortKey, leadsPartitionKey } from '../table/primary-keys.ts';
import { bytesPerReadUnit } from '../table/read-units.ts';
import type { LeadChunk, LeadReader } from './lead-pages.ts';
import type { PageBudget } from './page-budget.ts';
import { burstUnits, mayScan, noteScanned } from './scan-pace.ts';

/** The most that one query returns (AWS: Query, "1 MB of data"), in whole read units. */
const queryMaxBytes = 257 * bytesPerReadUnit;
/** What the ranges that are read in parallel contain together. No query stops in the middle of its range, and the pace allows them. */
const chunkBytes = burstUnits * bytesPerReadUnit;
const parallelRanges = 4;
const rangeIdsMin = 25;
/** How many times as many ids the next read may cover as all reads before: a few leads say little about many. */
const growthMax = 50;

/**
 * Scans the leads themselves. The first read is as long as the page. If few of its leads match, further reads
 * cover ranges of ids in parallel, as many as the share of matching leads suggests, and at the pace that the partition allows.
 */
export function scanLeads(own: OrganizationTable, budget: PageBudget): LeadReader {
  const seen: Seen = { ids: 0, bytes: 0, requested: 0 };

  const readRange = async (below: number, from: number, limit?: number): Promise<RangeResult> => {
    const { bytes, ...range } = await queryRange(own, { below, from, limit });
    budget.spend(bytes);
    seen.bytes += bytes;
    noteScanned(own.organizationId, bytes / bytesPerReadUnit);
    return range;
  };

  return {
    async read(below, requested) {
      if (below <= 1) return joined([]); // DynamoDB rejects a range that ends before it begins
      if (seen.requested === 0) {
        seen.requested = requested;
        const first = joined([await readRange(below, 1, requested)]);
        seen.ids = Math.max(1, (first.leads[0]?.id ?? 0) - first.downTo + 1);
        return first;
      }
      const ranges = nextRanges(below, requested, seen, budget.bytesLeft);
      const ids = ranges.reduce((sum, range) => sum + range.below - range.from, 0);
      const units = (ids * bytesPerId(seen)) / bytesPerReadUnit;
      if (ranges.length === 0 || !(await mayScan(own.organizationId, units, budget)))
        return { leads: [], downTo: below, after: 'spent' };
      const chunk = joined(
        await Promise.all(ranges.map((range) => readRange(range.below, range.from))),
      );
      seen.ids += below - chunk.downTo;
      return chunk;
    },
  };
}

/** What a scan has read so far. */
interface Seen {
  ids: number;
  bytes: number;
  /** The leads that the first read requested. */
  requested: number;
}

/** The ids from `from` up to, but without, `below`. */
interface IdRange {
  readonly below: number;
  readonly from: number;
}

const bytesPerId = ({ bytes, ids }: Readonly<Seen>): number =>
  Math.max(1, bytes) / Math.max(1, ids);

/** Ranges to read in parallel, highest first; none if the budget is too small for what a query returns. */
function nextRanges(
  below: number,
  requested: number,
  seen: Readonly<Seen>,
  bytesLeft: number,
): IdRange[] {
  const rangesMax = Math.min(parallelRanges, Math.floor(bytesLeft / queryMaxBytes));
  if (rangesMax === 0) return [];
  const idsPerChunk = Math.max(1, Math.floor(chunkBytes / bytesPerId(seen)));
  const ids = Math.min(worthwhileIds(requested, seen), idsPerChunk, below - 1);
  const count = Math.min(rangesMax, Math.ceil(ids / rangeIdsMin));
  const width = Math.ceil(ids / count);
  return Array.from({ length: count }, (_, index) => below - index * width)
    .filter((start) => start > 1)
    .map((start) => ({ below: start, from: Math.max(1, start - width) }));
}

/** How many ids to read for the leads still requested, by the share that has matched. */
function worthwhileIds(requested: number, seen: Readonly<Seen>): number {
  const matched = Math.max(0.5, seen.requested - requested);
  const expected = Math.ceil((1.2 * requested * seen.ids) / matched);
  return Math.max(rangeIdsMin, Math.min(expected, growthMax * seen.ids));
}

async function queryRange(
  { table, organizationId }: OrganizationTable,
  { below, from, limit }: IdRange & { readonly limit: number | undefined },
): Promise<RangeResult & { readonly bytes: number }> {
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
  return {
    leads,
    downTo,
    isWhole,
    bytes: (ConsumedCapacity?.CapacityUnits ?? 0) * bytesPerReadUnit,
  };
}

/** The leads of one range; not whole if DynamoDB stopped before the range's end. */
interface RangeResult extends Omit<LeadChunk, 'after'> {
  readonly isWhole: boolean;
}

/** Adjacent ranges as one chunk, which ends with the first range that is not whole. */
function joined(ranges: readonly RangeResult[]): LeadChunk {
  const broken = ranges.findIndex(({ isWhole }) => !isWhole);
  const read = broken === -1 ? ranges : ranges.slice(0, broken + 1);
  const downTo = read.at(-1)?.downTo ?? 1;
  return {
    leads: read.flatMap(({ leads }) => leads),
    downTo,
    after: broken === -1 && downTo <= 1 ? 'end' : 'more',
  };
}
