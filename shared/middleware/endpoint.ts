import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Endpoint } from '../contract/endpoints.ts';
import type { Organization } from '../organization/organization.ts';
import { openTable, sdkDefaults, type Table, usableUntil } from '../store/table/client.ts';
import { noConsumedCapacity, withCapacityMetering } from '../store/table/consumed-capacity.ts';
import type { Call } from './call.ts';
import type { Schemas } from './input.ts';
import { type EndpointParts, stack } from './stack.ts';

/** Created once, because an abort without a reason creates a new error for each request. */
const answered = new Error('The request has been answered.');

/** The handler of an endpoint: sends each request through the stack with a new `Call`. */
export function endpoint<S extends Schemas, Prefetched = undefined, Added = unknown>(
  row: Endpoint,
  parts: EndpointParts<S, Prefetched, Added>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult> {
  const handle = stack(parts);
  return async (event, context) => {
    const whileRunning = new AbortController();
    const call = { ...context, ...newCall(row, event, whileRunning.signal) };
    try {
      return await handle(event, call as Parameters<typeof handle>[1]); // the steps complete it
    } finally {
      // Aborts pending DynamoDB calls: Lambda freezes a function that has responded. A pending write would then be sent minutes later,
      // during another request, after the caller's retry and after `applySettings` stopped waiting for it.
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
    // Callers cannot choose the extended ID. API Gateway takes `requestId` from the request's X-Amzn-RequestId header, if there is one
    // (https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html).
    requestId: event.requestContext.extendedRequestId ?? '',
    startedAt: Date.now(),
    responseHeaders: {},
  };
}
