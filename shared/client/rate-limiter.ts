import type { Clock } from './clock.ts';
import { numberIn } from './errors.ts';

/** Pacing begins when this share of the window's requests is left. */
const lowShare = 0.1;

/**
 * Spreads the last tenth of a window's requests over the rest of the window, by the `RateLimit-*` headers of the responses, so that
 * several clients of one key or organization share what is left instead of meeting 429.
 */
export class RateLimiter {
  readonly #clock: Clock;
  #resetAt = 0;
  #intervalMs = 0;
  #lastAt = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Learns from a response. One without the headers tells nothing. */
  observe(headers: Headers): void {
    const limit = numberIn(headers, 'RateLimit-Limit');
    const remaining = numberIn(headers, 'RateLimit-Remaining');
    const resetSeconds = numberIn(headers, 'RateLimit-Reset');
    if (limit === undefined || remaining === undefined || resetSeconds === undefined) return;
    const untilResetMs = resetSeconds * 1000;
    this.#resetAt = this.#clock.now() + untilResetMs;
    this.#intervalMs = remaining > limit * lowShare ? 0 : untilResetMs / (remaining + 1);
  }

  /**
   * Reserves the next request's moment.
   * @returns the milliseconds to wait for it; 0 if that would be more than `maxWaitMs`: then the service decides
   */
  reserve(maxWaitMs: number): number {
    const now = this.#clock.now();
    const isPaced = this.#intervalMs > 0 && now < this.#resetAt;
    const at = isPaced
      ? Math.max(now, Math.min(this.#lastAt + this.#intervalMs, this.#resetAt))
      : now;
    if (at - now > maxWaitMs) return 0;
    this.#lastAt = at;
    return at - now;
  }
}
