/** Milliseconds of processor time that a run needs. Other processes on the machine hardly change it, unlike the time on the clock. */
export function processorMs(run: () => void): number {
  const before = process.cpuUsage();
  run();
  return process.cpuUsage(before).user / 1000;
}
