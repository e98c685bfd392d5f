/** Time as this process had it: what other processes of a busy machine take from it does not count. */

/** The processor time that the work takes, in milliseconds. */
export function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  return process.cpuUsage(before).user / 1000;
}

const tickMs = 10;
/** A tick that comes later than this was held up: the rest does not count. */
const tickMaxMs = 20;

/** Counts the milliseconds in which this process could run. @returns its end, which gives the count */
export function startRunningTime(): () => number {
  let countedMs = 0;
  let last = performance.now();
  const count = (): void => {
    const now = performance.now();
    countedMs += Math.min(now - last, tickMaxMs);
    last = now;
  };
  const ticks = setInterval(count, tickMs);
  return () => {
    clearInterval(ticks);
    count();
    return countedMs;
  };
}
