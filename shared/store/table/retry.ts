import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../limits.ts';

/** What an attempt returns when it met another request and has to look again. */
export const conflict = Symbol('met another request');

/** Thrown when the others were never done: nothing was written by this request. */
export class ContentionError extends Error {
  override readonly name = 'ContentionError';
}

/**
 * Repeats an attempt, with growing jitter between, while it meets other requests at the same items, for as long as
 * `limits.conflictRetryMs` allow (design, section 4).
 * @throws StillContended when that time is over.
 */
export async function retryOnConflict<T>(operation: (attempt: number) => Promise<T | typeof conflict>): Promise<T> {
  const giveUpAt = Date.now() + limits.conflictRetryMs;
  for (let attempt = 0; ; attempt += 1) {
    const result = await operation(attempt);
    if (result !== conflict) return result;
    if (Date.now() >= giveUpAt) throw new ContentionError(`Still contended after ${attempt + 1} attempts.`);
    await sleep(Math.random() * Math.min(200, 10 * 2 ** attempt));
  }
}
