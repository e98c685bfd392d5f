import { setTimeout as sleep } from 'node:timers/promises';

/** Admits at most so many units per second, evenly spaced. Unused time does not allow a burst later. */
export class RateLimiter {
  readonly #msPerUnit: number;
  #nextAt = 0;

  constructor(unitsPerSecond: number) {
    this.#msPerUnit = 1000 / unitsPerSecond;
  }

  /** Waits until all units taken before have had their time. */
  async take(units: number): Promise<void> {
    const at = Math.max(Date.now(), this.#nextAt);
    this.#nextAt = at + units * this.#msPerUnit;
    const waitMs = at - Date.now();
    if (waitMs > 0) await sleep(waitMs);
  }

  /** Corrects what was taken by an estimate: the difference, which is negative if the estimate was too high. */
  correct(units: number): void {
    this.#nextAt += units * this.#msPerUnit;
  }
}
