import { parentPort, workerData } from 'node:worker_threads';
import type { Invocation, WorkerMessage, WorkerStart } from './function-worker-messages.ts';

/** The runtime of one function, in a worker thread. Imports the built bundle, then handles one event at a time, as Lambda does. */
const { bundle, functionName, timeoutMs } = workerData as WorkerStart;
const port = parentPort;
if (!port) throw new Error('function-worker.ts must run in a worker thread.');
const send = (message: WorkerMessage): void => port.postMessage(message);

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
  try {
    const response: unknown = await handler(JSON.parse(event), context);
    send({ response: JSON.stringify(response) ?? 'null' });
  } catch (error) {
    send({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
send({ ready: true });
