import { setImmediate } from 'node:timers/promises';
import { vi } from 'vitest';
import type { Clock } from '../../../shared/client/clock.ts';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

/** A clock that jumps to the next timer whenever everything waits for one. Random numbers are 0.5. */
export class VirtualClock implements Clock {
  #now = Date.parse('2026-11-21T10:00:00.000Z');
  readonly #timers = new Set<Timer>();
  /** The waits that ended by their time, in order. */
  readonly waitsMs: number[] = [];
  readonly #digests = vi.spyOn(crypto.subtle, 'digest');

  now(): number {
    return this.#now;
  }

  random(): number {
    return 0.5;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const fire = (): void => {
        this.waitsMs.push(ms);
        resolve();
      };
      const timer = { at: this.#now + ms, fire };
      this.#timers.add(timer);
      signal?.addEventListener('abort', () => {
        this.#timers.delete(timer);
        reject(signal.reason);
      });
    });
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    while (await this.#fireNext(end));
    this.#now = end;
    await this.#idle();
  }

  /** Lets time pass until the promise is settled. */
  async run<Result>(promise: Promise<Result>): Promise<Result> {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    for (;;) {
      await this.#idle();
      if (isSettled) return promise;
      await this.#fireNext(Number.POSITIVE_INFINITY);
    }
  }

  async #fireNext(until: number): Promise<boolean> {
    await this.#idle();
    const [next] = [...this.#timers].sort((a, b) => a.at - b.at);
    if (!next || next.at > until) return false;
    this.#timers.delete(next);
    this.#now = Math.max(this.#now, next.at);
    next.fire();
    return true;
  }

  /** Lets everything run that waits for no timer. Digests are computed on other threads, which a busy machine may keep waiting. */
  async #idle(): Promise<void> {
    do for (let round = 0; round < 20; round += 1) await setImmediate();
    while (this.#digests.mock.settledResults.some(({ type }) => type === 'incomplete'));
  }
}
