const { nextTick } = process;
const realSetImmediate = setImmediate;

/** Events between two turns of the real event loop, so that a long run leaves room for what surrounds it (a test runner's own messages). */
const eventsPerTurn = 2000;

/** Ends after every microtask that is queued now, and whatever those queue. */
const microtasks = (): Promise<void> =>
  new Promise((resolve) => queueMicrotask(() => nextTick(resolve)));

/**
 * Waits until every promise has settled that can settle without an event. A callback of `process.nextTick` that a microtask asks for runs once
 * no microtask is left (Node.js: "process.nextTick and queueMicrotask"); the second round is for what such a callback of a stream set off.
 * 1.3 us; a turn of the event loop (`setImmediate`), which would show the same, costs 3.2 us.
 */
export async function settle(events = 0): Promise<void> {
  await microtasks();
  await microtasks();
  if (events % eventsPerTurn === eventsPerTurn - 1)
    await new Promise<void>((resolve) => realSetImmediate(resolve));
}
