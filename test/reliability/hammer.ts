import { randomUUID } from 'node:crypto';
import { pathToFileURL } from 'node:url';
import type { APIGatewayProxyResult } from 'aws-lambda';
import { bundleFolder } from '../../infra/bundle/bundle.ts';
import { eventFor, newExtendedRequestId } from '../../infra/gateway/event.ts';
import { endpointNamed } from '../../shared/endpoints.ts';
import type { HammerOrder, HammerReport } from './hammers.ts';

/** A process of its own with a built function, which it calls as hard as it is told to by its parent (`hammers.ts`). */
const name = 'list-users';
const endpoint = endpointNamed(name);
type Handler = (event: unknown, context: unknown) => Promise<APIGatewayProxyResult>;

/** The function as a cold start with these limits loads it: it reads them then, and each has a module of its own. */
async function functionWith(limits: Readonly<Record<string, string>> = {}): Promise<Handler> {
  Object.assign(process.env, limits);
  const { href } = pathToFileURL(`${bundleFolder(name)}/index.mjs`);
  const { handler } = await import(`${href}?${new URLSearchParams(limits)}`);
  return handler;
}

const context = { getRemainingTimeInMillis: () => 10_000 };

async function callOnce(
  handler: Handler,
  apiKey: string,
): Promise<{ status: number; resetSeconds: number }> {
  const request = {
    method: 'GET',
    path: endpoint.path,
    query: '',
    body: Buffer.alloc(0),
    sourceIp: '127.0.0.1',
    protocol: 'HTTP/1.1',
  };
  const rawHeaders = ['Authorization', `Bearer ${apiKey}`];
  const event = eventFor(
    {
      ...request,
      rawHeaders,
      requestId: randomUUID(),
      extendedRequestId: newExtendedRequestId(),
    },
    { endpoint, pathParameters: null },
  );
  const { statusCode, headers } = await handler(event, context);
  return { status: statusCode, resetSeconds: Number(headers?.['RateLimit-Reset']) };
}

/** Beyond this the window is a fresh one: the test's own ends within seconds. */
const freshWindowSeconds = 60;

async function hammer({
  apiKey,
  requests,
  lanes,
  limits,
  untilFreshIsExhausted,
}: HammerOrder): Promise<HammerReport> {
  const handler = await functionWith(limits);
  const report = { passed: 0, refused: 0, failed: 0, passedInFreshWindow: 0 };
  let left = requests;
  let isOver = false;
  const lane = async (): Promise<void> => {
    while (left > 0 && !isOver) {
      left -= 1;
      const { status, resetSeconds } = await callOnce(handler, apiKey);
      const isFresh = resetSeconds > freshWindowSeconds;
      if (status === 200) report.passed += 1;
      else if (status === 429) report.refused += 1;
      else report.failed += 1;
      if (status === 200 && isFresh) report.passedInFreshWindow += 1;
      if (status === 429 && isFresh && untilFreshIsExhausted) isOver = true;
      // A remembered refusal costs nothing and would keep this process too busy for the others to get on.
      if (status === 429 && untilFreshIsExhausted)
        await new Promise((resolve) => setTimeout(resolve, 2));
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return report;
}

process.stdout.write = () => true; // the function's log
process.on('message', async (order: HammerOrder) => process.send?.(await hammer(order)));
process.on('disconnect', () => process.exit());
await functionWith(); // its limits are those of the process: those of an order come after it
process.send?.('ready');
