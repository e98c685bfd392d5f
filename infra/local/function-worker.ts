import { parentPort, workerData } from 'node:worker_threads';

/** What a worker gets when it starts. */
export interface WorkerStart {
  /** The bundle, as a file URL. */
  readonly bundle: string;
  readonly functionName: string;
  readonly timeoutMs: number;
}

/** One event for the function, as JSON text: Lambda gets the same, and text is cheaper to pass to a worker than an object. */
export interface Invocation {
  readonly event: string;
  readonly requestId: string;
}

/** The handler's response as JSON text, or the error that the handler threw. */
export type WorkerResult = { readonly response: string } | { readonly failure: string };

/** What a worker sends: what the function printed, or the result of an event. An empty response says that it is ready for events. */
export type WorkerMessage = { readonly output: string } | WorkerResult;

/** The runtime of one function, in a worker thread. Imports the built bundle, then handles one event at a time, as Lambda does. */
const { bundle, functionName, timeoutMs }: WorkerStart = workerData;
const port = parentPort;
if (!port) throw new Error('function-worker.ts must run in a worker thread.');
const send = (message: WorkerMessage): void => port.postMessage(message);

/** The function's response, or why it has none. */
async function resultOf(call: () => unknown): Promise<WorkerResult> {
  try {
    return { response: JSON.stringify(await call()) ?? 'null' };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/**
 * What the function prints goes the way of its response, and so comes before it. The streams of a worker thread go another way, which
 * takes two more messages for each line.
 */
function sendOutputOf(stream: NodeJS.WriteStream): void {
  stream._write = (chunk: Buffer | string, _encoding, done) => {
    send({ output: chunk.toString() });
    done();
  };
  stream._writev = (chunks, done) => {
    send({ output: chunks.map(({ chunk }) => String(chunk)).join('') });
    done();
  };
}
sendOutputOf(process.stdout);
sendOutputOf(process.stderr);

const { handler }: { handler: unknown } = await import(bundle);
if (typeof handler !== 'function')
  throw new Error(`${functionName}: the bundle exports no handler.`);

port.on('message', async ({ event, requestId }: Invocation) => {
  const deadline = Date.now() + timeoutMs;
  const context = {
    functionName,
    functionVersion: '$LATEST',
    invokedFunctionArn: `arn:aws:lambda:local:000000000000:function:${functionName}`,
    memoryLimitInMB: '512',
    awsRequestId: requestId,
    logGroupName: `/aws/lambda/${functionName}`,
    logStreamName: 'local',
    callbackWaitsForEmptyEventLoop: false,
    getRemainingTimeInMillis: () => Math.max(0, deadline - Date.now()),
  };
  send(await resultOf(() => handler(JSON.parse(event), context)));
});
send({ response: 'null' });
