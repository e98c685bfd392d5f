import { parentPort, workerData } from 'node:worker_threads';

/** The data with which a worker starts. */
export interface WorkerStart {
  /** The bundle, as a file URL. */
  readonly bundle: string;
  readonly functionName: string;
  readonly timeoutMs: number;
}

/** An event for the function, as JSON text: Lambda receives the same, and text is cheaper to pass to a worker than an object. */
export interface Invocation {
  readonly event: string;
  readonly requestId: string;
}

/** The handler's response as JSON text, or the error that the handler threw. */
export type WorkerResult = { readonly response: string } | { readonly thrown: string };

/** A message from a worker: output of the function, readiness for events, or the result of an event. */
export type WorkerMessage = { readonly output: string } | { readonly isReady: true } | WorkerResult;

/** The runtime of one function, in a worker thread. Imports the built bundle, then handles one event at a time, as Lambda does. */
const { bundle, functionName, timeoutMs }: WorkerStart = workerData;
const port = parentPort;
if (!port) throw new Error('function-worker.ts must run in a worker thread.');
const send = (message: WorkerMessage): void => port.postMessage(message);

/**
 * Sends the function's output over the same channel as its response, so that the output arrives first. A worker thread's own streams would
 * need two more messages per line.
 */
const write = (chunk: Buffer | string): boolean => {
  send({ output: chunk.toString() });
  return true;
};
process.stdout.write = write;
process.stderr.write = write;

const { handler }: { handler: unknown } = await import(bundle);
if (typeof handler !== 'function')
  throw new Error(`${functionName}: the bundle exports no handler.`);

port.on('message', async ({ event, requestId }: Invocation) => {
  const deadline = Date.now() + timeoutMs;
  // The part of Lambda's context that the functions and their libraries read.
  const context = {
    functionName,
    awsRequestId: requestId,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
  try {
    send({ response: JSON.stringify(await handler(JSON.parse(event), context)) ?? 'null' });
  } catch (error) {
    send({ thrown: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
send({ isReady: true });
