import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Endpoint } from '../contract/endpoints.ts';
import type { Organization } from '../organization/organization.ts';
import { openTable, sdkDefaults, type Table, usableUntil } from '../store/table/client.ts';
import { noConsumedCapacity, withCapacityMetering } from '../store/table/consumed-capacity.ts';
import type { Call } from './call.ts';
import type { Schemas } from './input.ts';
import { type EndpointParts, stack } from './stack.ts';

/** Made once: an abort without a reason makes a new one for each request. */
const answered = new Error('The request has been answered.');

/** The handler of an endpoint: each request runs through the stack as a call of its own. */
export function endpoint<S extends Schemas, Prefetched = undefined, Added = unknown>(
  row: Endpoint,
  parts: EndpointParts<S, Prefetched, Added>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult> {
  const handle = stack(parts);
  return async (event, context) => {
    const whileRunning = new AbortController();
    const call = { ...context, ...newCall(row, event, whileRunning.signal) };
    try {
      return await handle(event, call as Parameters<typeof handle>[1]); // complete when the steps have run
    } finally {
      // Nothing is sent to DynamoDB after a response: Lambda freezes a function that has responded, so a pending write, such as a token that
      // is still being taken, would be sent with a request minutes later, after `applySettings` stopped waiting for it and after the
      // caller's own retry.
      whileRunning.abort(answered);
    }
  };
}

/** The handler of an endpoint that lists items of the organization's settings. */
export const listEndpoint = (
  row: Endpoint,
  itemsOf: (organization: Organization) => readonly unknown[],
) =>
  endpoint(row, {
    input: {},
    respond: async ({ organization }) => ({ status: 200, body: { items: itemsOf(organization) } }),
  });

let sharedTable: Table | undefined;

function newCall(endpoint: Endpoint, event: APIGatewayProxyEvent, signal: AbortSignal): Call {
  sharedTable ??= openTable(undefined, sdkDefaults);
  const consumedCapacity = noConsumedCapacity();
  return {
    endpoint,
    table: withCapacityMetering(usableUntil(sharedTable, signal), consumedCapacity),
    consumedCapacity,
    // Callers cannot choose this one. API Gateway takes `requestId` from the header X-Amzn-RequestId of a request that has one
    // (https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html).
    requestId: event.requestContext.extendedRequestId ?? '',
    startedAt: Date.now(),
    responseHeaders: {},
  };
}
