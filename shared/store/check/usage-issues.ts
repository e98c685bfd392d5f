import { limits } from '../../limits.ts';
import { requestsPerWindowMax } from '../../rate-limits.ts';
import type { Item } from '../table/items.ts';
import { clockMarginMs } from './times.ts';

/**
 * The issues of a token bucket: a window that lasts too long, or more requests taken than its limit, which the condition of admission enforces.
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
  return [...windowIssues(whose, bucket, now), ...countIssues(whose, bucket, limit, now)];
}

function windowIssues(whose: string, { windowEndsAt }: Item, now: number): string[] {
  const isTooLong =
    typeof windowEndsAt === 'number' && windowEndsAt > now + limits.windowMs + clockMarginMs;
  return isTooLong
    ? [
        `${whose} has a window that ends more than an hour from now, at windowEndsAt ${windowEndsAt}: once its requests are used up, all are refused until then. Set windowEndsAt to 0.`,
      ]
    : [];
}

function countIssues(
  whose: string,
  { used, windowEndsAt }: Item,
  limit: number | undefined,
  now: number,
): string[] {
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
