import { setTimeout as pause } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';

/** The functions that run in this process: each has a thread of its own. */
const functions = new Set<Worker>();
process.on('worker', (worker) => {
  functions.add(worker);
  worker.once('exit', () => functions.delete(worker));
});

const stretchMs = 5;
/** What a thread that waits may be counted for. */
const activeMaxMs = 0.5;
/** In the second, this thread takes in what functions sent in the first. */
const stretches = 2;

/**
 * Waits until every function does: all calls that it makes in parallel are then sent, and taken in by servers of this process. A function
 * that a busy machine holds up is not waiting, so this is as true there.
 */
export async function untilFunctionsWait(): Promise<void> {
  for (let waiting = 0; waiting < stretches; ) {
    const before = [...functions].map((worker) => ({
      worker,
      utilization: worker.performance.eventLoopUtilization(),
    }));
    await pause(stretchMs);
    const isWaiting = before.every(
      ({ worker, utilization }) =>
        worker.performance.eventLoopUtilization(utilization).active < activeMaxMs,
    );
    waiting = isWaiting ? waiting + 1 : 0;
  }
}
