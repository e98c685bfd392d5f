import { hash } from 'node:crypto';
import { afterEach, beforeEach, vi } from 'vitest';

/** Runs each test of the file on Vitest's fake clock, which moves from timer to timer while a test waits. Random numbers are 0.5. */
export function useFakeClock(): void {
  beforeEach(() => {
    const now = Date.parse('2026-11-21T10:00:00.000Z');
    vi.useFakeTimers({ now, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    vi.setTimerTickMode('nextTimerAsync');
    vi.spyOn(Math, 'random').mockReturnValue(0.5);
    const { setTimeout } = globalThis;
    // Vitest does not fake this timer.
    vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
      const late = new AbortController();
      setTimeout(() => late.abort(), ms);
      return late.signal;
    });
    // Node computes a digest on another thread, and the clock would not wait for it.
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

/** The waits that were started, in order, without the time-outs of attempts. */
export const waitsMs = () => vi.mocked(setTimeout).mock.calls.map(([, ms]) => ms);
