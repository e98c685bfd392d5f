import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** The functions that run in this process: each has a thread of its own. */
const functions = new Set<Worker>();
process.on('worker', (worker) => {
  functions.add(worker);
  worker.once('exit', () => functions.delete(worker));
});

const sampleMs = 5;
/** A sample that took longer says that the machine is busy: a function may be ready to go on, and be held up. */
const sampleMaxMs = 10;
/** What a thread that waits may be counted for. */
const activeMaxMs = 0.5;
/** In the second, this thread takes in what functions sent in the first. */
const quietSamples = 2;

/**
 * Waits until every function does: all calls that it makes in parallel are then sent, and taken in by servers of this process. A function
 * that a busy machine holds up is counted as active, or its sample is not counted.
 */
export async function untilFunctionsWait(): Promise<void> {
  for (let quiet = 0; quiet < quietSamples; ) {
    const begunAt = performance.now();
    const before = [...functions].map((worker) => ({
      worker,
      utilization: worker.performance.eventLoopUtilization(),
    }));
    await pause(sampleMs);
    const isQuiet =
      performance.now() - begunAt <= sampleMaxMs &&
      before.every(
        ({ worker, utilization }) =>
          worker.performance.eventLoopUtilization(utilization).active < activeMaxMs,
      );
    quiet = isQuiet ? quiet + 1 : 0;
  }
}
