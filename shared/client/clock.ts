/** Time and randomness. Tests pass their own. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after the time, and rejects with the signal's reason as soon as that aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** From 0 to 1. */
  random(): number;
}

/** `setTimeout` fires at once for more than 2^31 - 1 ms. */
const timerMaxMs = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  random: () => Math.random(),
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const onAbort = (): void => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const timer = setTimeout(
        () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
        Math.min(ms, timerMaxMs),
      );
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
