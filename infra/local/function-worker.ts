import { parentPort, workerData } from 'node:worker_threads';
import type { Invocation, WorkerMessage, WorkerStart } from './function-worker-messages.ts';

/** The runtime of one function, in a worker thread. Imports the built bundle, then handles one event at a time, as Lambda does. */
const { bundle, functionName, timeoutMs } = workerData as WorkerStart;
const port = parentPort;
if (!port) throw new Error('function-worker.ts must run in a worker thread.');
const send = (message: WorkerMessage): void => port.postMessage(message);

/** The function's response, or why it has none. */
async function messageOf(call: () => unknown): Promise<WorkerMessage> {
  try {
    return { response: JSON.stringify(await call()) ?? 'null' };
  } catch (error) {
    return { failure: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

/** What the function logged reaches the service's thread by another way than its response, and must not come after it. */
const outputTaken = (): Promise<void> =>
  new Promise((resolve) => {
    process.stdout.write('', () => resolve());
  });

const { handler } = (await import(bundle)) as { handler: unknown };
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
  const message = await messageOf(() => handler(JSON.parse(event), context));
  await outputTaken();
  send(message);
});
send({ ready: true });
