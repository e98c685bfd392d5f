import { hash } from 'node:crypto';
import { afterEach, beforeEach, vi } from 'vitest';

/** Gives each test of the file Vitest's clock instead of the time. Random numbers are 0.5. */
export function useFakeClock(): void {
  beforeEach(() => {
    const now = Date.parse('2026-11-21T10:00:00.000Z');
    vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { setTimeout } = globalThis;
    // Vitest leaves this timer as it is.
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const late = new AbortController();
      setTimeout(() => late.abort(), ms);
      return late.signal;
    });
    // Node computes it on another thread, for which the clock would not wait.
    vi.spyOn(crypto.subtle, 'digest').mockImplementation(
      async (_, data) => Uint8Array.from(hash('sha256', data as Uint8Array, 'buffer')).buffer,
    );
    vi.spyOn(globalThis, 'setTimeout');
  });
  afterEach(() => {
    // In this order: a restored spy of setTimeout brings the fake one back.
    vi.restoreAllMocks();
    vi.useRealTimers();
  });
}

/** The waits that were begun, in order, without the time-outs of attempts. */
export const waitsMs = () => vi.mocked(setTimeout).mock.calls.map(([, ms]) => ms);

/** Lets time pass, from timer to timer, until the promise is settled. */
export async function settled<Result>(promise: Promise<Result>): Promise<Result> {
  let isSettled = false;
  const settle = (): void => {
    isSettled = true;
  };
  promise.then(settle, settle);
  for (;;) {
    await vi.advanceTimersByTimeAsync(0); // everything runs that waits for no timer
    if (isSettled) return promise;
    vi.advanceTimersToNextTimer();
  }
}
