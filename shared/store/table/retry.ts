import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../limits.ts';

/** What an attempt returns when it met another request and has to look again. */
export const metAnother = Symbol('met another request');

/** Thrown when the others were never done: nothing was written by this request. */
export class StillContended extends Error {
  override readonly name = 'StillContended';
}

/**
 * Repeats an attempt, with growing jitter between, while it meets other requests at the same items, for as long as
 * `limits.lookAgainMs` allow (design, section 4).
 * @throws StillContended when that time is over.
 */
export async function lookAgain<T>(attempt: (turn: number) => Promise<T | typeof metAnother>): Promise<T> {
  const giveUpAt = Date.now() + limits.lookAgainMs;
  for (let turn = 0; ; turn += 1) {
    const result = await attempt(turn);
    if (result !== metAnother) return result;
    if (Date.now() >= giveUpAt) throw new StillContended(`Still contended after ${turn + 1} attempts.`);
    await sleep(Math.random() * Math.min(200, 10 * 2 ** turn));
  }
}
