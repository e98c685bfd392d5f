import { parentPort, workerData } from 'node:worker_threads';
import type { Invocation, WorkerStart, WorkerWord } from './function-worker-messages.ts';

/** The runtime of one function in a worker thread: imports the built bundle, then answers one event at a time, as Lambda's does. */
const { bundle, functionName, timeoutMs } = workerData as WorkerStart;
const port = parentPort;
if (!port) throw new Error('function-worker.ts runs in a worker thread only.');
const say = (word: WorkerWord): void => port.postMessage(word);

const { handler } = (await import(bundle)) as { handler: unknown };
if (typeof handler !== 'function') throw new Error(`${functionName}: the bundle exports no handler.`);

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
    const answer: unknown = await handler(JSON.parse(event), context);
    say({ answer: JSON.stringify(answer) ?? 'null' });
  } catch (error) {
    say({ failure: error instanceof Error ? (error.stack ?? error.message) : String(error) });
  }
});
say({ ready: true });
