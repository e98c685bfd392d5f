import { requestsPerWindowMax } from '../../rate-limits.ts';
import type { Item } from '../table/items.ts';

/**
 * The issue of a token bucket from which more requests were taken than its limit, which the condition of admission enforces.
 * The limit in force is an option of the deployment, which the table does not store. It applies to a window that has not ended: an earlier
 * window may have had a higher limit. All windows are within the highest limit that a deployment can have.
 * @param whose whose bucket it is, at the beginning of a sentence
 * @param limit the limit in force; undefined if it is unknown
 */
export function usageIssues(
  whose: string,
  bucket: Item,
  limit: number | undefined,
  now = Date.now(),
): string[] {
  const { used, windowEndsAt } = bucket;
  if (typeof used !== 'number') return [];
  if (used > requestsPerWindowMax) {
    return [
      `${whose} has used ${used} requests of a window; no deployment may allow more than ${requestsPerWindowMax}.`,
    ];
  }
  const isCurrent = typeof windowEndsAt === 'number' && windowEndsAt > now;
  if (!isCurrent || limit === undefined || used <= limit) return [];
  return [
    `${whose} has used ${used} requests of its window, more than the limit in force, ${limit}: if the limit was lowered in the last hour, check again after ${new Date(windowEndsAt).toISOString()}.`,
  ];
}
