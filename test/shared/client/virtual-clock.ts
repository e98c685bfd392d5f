import { setImmediate } from 'node:timers/promises';
import { onTestFinished, vi } from 'vitest';

/** The time of a test, which jumps to the next timer whenever everything waits for one. Random numbers are 0.5. */
export class VirtualClock {
  /** The waits that were begun, in order, without the time-outs of attempts. */
  readonly waitsMs: number[] = [];
  readonly #dueAt: number[] = [];
  readonly #digests = vi.spyOn(crypto.subtle, 'digest');

  constructor() {
    vi.useFakeTimers({
      now: Date.parse('2026-11-21T10:00:00.000Z'),
      toFake: ['Date', 'setTimeout', 'clearTimeout'],
    });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const fakeTimeout = globalThis.setTimeout;
    const start = (fire: () => void, ms: number): ReturnType<typeof setTimeout> => {
      this.#dueAt.push(Date.now() + ms);
      return fakeTimeout(fire, ms);
    };
    vi.spyOn(globalThis, 'setTimeout').mockImplementation((fire, ms = 0) => {
      this.waitsMs.push(ms);
      return start(fire, ms);
    });
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const late = new AbortController();
      start(() => late.abort(), ms);
      return late.signal;
    });
  }

  now(): number {
    return Date.now();
  }

  /** Lets time pass. */
  async advance(ms: number): Promise<void> {
    const end = Date.now() + ms;
    while (await this.#fireNext(end));
    vi.advanceTimersByTime(end - Date.now());
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
    const next = Math.min(...this.#dueAt);
    if (next > until || next === Number.POSITIVE_INFINITY) return false;
    this.#dueAt.splice(this.#dueAt.indexOf(next), 1);
    vi.advanceTimersByTime(Math.max(0, next - Date.now()));
    return true;
  }

  /** Lets everything run that waits for no timer. Digests are computed on other threads, which a busy machine may keep waiting. */
  async #idle(): Promise<void> {
    do for (let round = 0; round < 20; round += 1) await setImmediate();
    while (this.#digests.mock.settledResults.some(({ type }) => type === 'incomplete'));
  }
}

let current: VirtualClock | undefined;

/** The clock of this test: all that it tests share it. */
export function virtualClock(): VirtualClock {
  if (current) return current;
  onTestFinished(() => {
    current = undefined;
    // In this order: a restored spy of setTimeout brings the fake one back.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
  current = new VirtualClock();
  return current;
}
