import { setTimeout as sleep } from 'node:timers/promises';
import { QueryCommand } from '@aws-sdk/lib-dynamodb';
import { BoundedMap } from '../../base/maps.ts';
import { leadFrom } from '../leads/leads.ts';
import type { OrganizationTable } from '../table/client.ts';
import { bytesPerReadUnit } from '../table/consumed-capacity.ts';
import { leadSortKey, leadsPartitionKey } from '../table/primary-keys.ts';
import type { LeadChunk, LeadReader } from './lead-pages.ts';
import type { PageBudget } from './page-budget.ts';

/** The minimum per read: fewer leads are not worth a round trip. */
const leadsMin = 25;

/** Scans the leads themselves. The first read has the page's size. If few leads match, further reads are paced to protect the partition. */
export function scanLeads(scope: OrganizationTable, budget: PageBudget): LeadReader {
  let leadBytes = 0; // the mean size of the leads read last
  return async (below, requested) => {
    let leads = requested;
    if (leadBytes > 0) {
      const paced = Math.max(1, Math.floor((burstUnits * bytesPerReadUnit) / leadBytes));
      leads = Math.min(Math.max(requested, leadsMin), paced);
      const units = (leads * leadBytes) / bytesPerReadUnit;
      if (!(await mayScan(scope.organizationId, units, budget)))
        return { leads: [], downTo: below };
    }
    const { units, ...chunk } = await queryLeads(scope, below, leads);
    const bytes = units * bytesPerReadUnit;
    budget.spend(bytes);
    noteScanned(scope.organizationId, units);
    leadBytes = bytes / Math.max(1, chunk.leads.length);
    return chunk;
  };
}

async function queryLeads(
  { table, organizationId }: OrganizationTable,
  below: number,
  limit: number,
): Promise<LeadChunk & { readonly units: number }> {
  const {
    Items = [],
    LastEvaluatedKey,
    ConsumedCapacity,
  } = await table.client.send(
    new QueryCommand({
      TableName: table.name,
      KeyConditionExpression: 'pk = :leads AND sk < :below',
      ExpressionAttributeValues: {
        ':leads': leadsPartitionKey(organizationId),
        ':below': leadSortKey(below),
      },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: limit,
      ReturnConsumedCapacity: 'TOTAL',
    }),
  );
  const leads = Items.map((item) => leadFrom(organizationId, item));
  const downTo = LastEvaluatedKey === undefined ? 1 : (leads.at(-1)?.id ?? below);
  return { leads, downTo, units: ConsumedCapacity?.CapacityUnits ?? 0 };
}

/**
 * All leads of an organization are one partition, which serves 3,000 read units a second (AWS: DynamoDB, "Partition throughput limits").
 * Four simultaneous scans fit: each takes at most `burstUnits + unitsPerSecond`, 740, in any second, unless a read meets much larger leads
 * than before.
 */
const unitsPerSecond = 640;
const burstUnits = 100;

const msPerUnit = 1000 / unitsPerSecond;

/**
 * By organization: when the units that its scans have read will be paid off, in epoch milliseconds. A function serves one request at a
 * time, so this paces one client.
 */
const pacedUntil = new BoundedMap<number, number>(100);

function noteScanned(organizationId: number, units: number): void {
  const begunAt = Math.max(Date.now(), pacedUntil.get(organizationId) ?? 0);
  pacedUntil.set(organizationId, begunAt + units * msPerUnit);
}

/**
 * Waits until the pace allows `units` more. After a read that cost more than planned, every page waits. If it ended at once, the next page's
 * first read, which is not paced, would exceed the limit.
 * @returns false if the page ends before that
 */
async function mayScan(
  organizationId: number,
  units: number,
  { msLeft }: PageBudget,
): Promise<boolean> {
  const aheadMs = Math.max(0, (pacedUntil.get(organizationId) ?? 0) - Date.now());
  const waitMs = Math.ceil(aheadMs - (burstUnits - Math.min(units, burstUnits)) * msPerUnit);
  if (waitMs <= 0) return true;
  await sleep(Math.min(waitMs, msLeft));
  return waitMs < msLeft;
}
