import { setTimeout as sleep } from 'node:timers/promises';
import { BoundedMap } from '../../bounded-map.ts';
import type { PageBudget } from './page-budget.ts';

/**
 * All leads of an organization are one partition, which serves 3,000 read units a second (AWS: DynamoDB, "Partition throughput limits").
 * Four scans at once leave none of them unserved: each takes at most `burstUnits + unitsPerSecond`, 740, in any second,
 * unless a read meets leads much larger than those before.
 */
const unitsPerSecond = 640;
export const burstUnits = 100;

/** What an organization's scans may read at once. A function answers one request at a time, so this is the allowance of one client. */
interface Allowance {
  /** Negative after a read that took more. */
  readonly units: number;
  readonly atMs: number;
}
const allowances = new BoundedMap<number, Allowance>(100);

const unitsNow = (organizationId: number): number => {
  const known = allowances.get(organizationId);
  if (!known) return burstUnits;
  const elapsedMs = Math.max(0, Date.now() - known.atMs);
  return Math.min(burstUnits, known.units + (elapsedMs * unitsPerSecond) / 1000);
};

/** Notes units that a scan has read. */
export function noteScanned(organizationId: number, units: number): void {
  allowances.set(organizationId, { units: unitsNow(organizationId) - units, atMs: Date.now() });
}

/**
 * Waits until a scan may read so many units more. A read that took more than expected is waited out page by page: a page that ended at once
 * would be followed by the next one, whose first read is not paced.
 * @returns false if the page ends before that
 */
export async function mayScan(
  organizationId: number,
  units: number,
  budget: PageBudget,
): Promise<boolean> {
  const missing = Math.min(units, burstUnits) - unitsNow(organizationId);
  if (missing <= 0) return true;
  const waitMs = Math.ceil((missing * 1000) / unitsPerSecond);
  const { msLeft } = budget;
  await sleep(Math.min(waitMs, msLeft));
  return waitMs < msLeft;
}
