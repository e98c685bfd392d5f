import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Endpoint } from '../contract/endpoints.ts';
import type { Field, Organization } from '../organization/organization.ts';
import { openTable, sdkDefaults, type Table, usableUntil } from '../store/table/client.ts';
import { noConsumedCapacity, withCapacityMetering } from '../store/table/consumed-capacity.ts';
import { type Admitted, admit, type PrefetchContext } from './admission.ts';
import type { Call } from './call.ts';
import { type Input, parseInput, type Schemas } from './input.ts';
import { errorResponse, type Reply, replyResponse } from './response.ts';
import { transport } from './transport.ts';

/** What an endpoint's `respond` receives once the request is authenticated, authorized and validated. */
export interface ReadyCall<Input, Prefetched> extends Omit<Admitted<Prefetched>, 'prefetched'> {
  readonly table: Table;
  readonly requestId: string;
  readonly input: Input;
  readonly prefetched: Prefetched;
}

/** The parts of an endpoint, in the order in which a request runs through them. */
export interface EndpointParts<S extends Schemas, Prefetched> {
  readonly input: S;
  /** The fields that the body's `fields` accepts. The error for one that was sent beside `fields` says so. */
  readonly acceptedFields?: (organization: Organization) => readonly Field[];
  /** Reads that run in parallel with admission. Their result is dropped when the request is refused, so they must not write. */
  readonly prefetch?: (
    context: PrefetchContext & { readonly input: Input<S> },
  ) => Promise<Prefetched>;
  readonly respond: (call: ReadyCall<Input<S>, Prefetched>) => Promise<Reply>;
}

/**
 * The time to respond before the platform ends the function, in milliseconds. At worst a request waits for three DynamoDB calls in
 * turn: admission, the rotation or the lead, and the transaction. Each may take as long as `client.ts` says, and conflicts are retried
 * for two seconds more. The sum is longer than a function may run, so this deadline ends the wait: 9.5 s after the start of a function of
 * 10 s, while API Gateway waits 29 s. A single call that fails ends before it: after 3.1 s of silence or of bodies that stall, or after
 * 6.1 s of throttling or of headers that come late.
 */
const responseReserveMs = 500;

/** Made once: an abort without a reason makes a new one for each request. */
const answered = new Error('The request has been answered.');

let sharedTable: Table | undefined;

export function endpoint<S extends Schemas, Prefetched = undefined>(
  row: Endpoint,
  parts: EndpointParts<S, Prefetched>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult> {
  const stack = stackOf(parts);
  return async (event, context) => {
    sharedTable ??= openTable(undefined, sdkDefaults);
    const consumedCapacity = noConsumedCapacity();
    const deadline = new AbortController();
    const call: Call = {
      endpoint: row,
      table: withCapacityMetering(usableUntil(sharedTable, deadline.signal), consumedCapacity),
      consumedCapacity,
      // Callers cannot choose this one. API Gateway takes `requestId` from the header X-Amzn-RequestId of a request that has one
      // (https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html).
      requestId: event.requestContext.extendedRequestId ?? '',
      startedAt: Date.now(),
      responseHeaders: {},
    };
    try {
      const ms = context.getRemainingTimeInMillis() - responseReserveMs;
      return replyResponse(call, await within(ms, stack(event, call as typeof call & Context)));
    } catch (error) {
      return errorResponse(call, error);
    } finally {
      // Nothing is sent to DynamoDB after a response: Lambda freezes a function that has responded, so a pending write, such as a token that
      // is still being taken, would be sent with a request minutes later, after `applySettings` stopped waiting for it and after the
      // caller's own retry.
      deadline.abort(answered);
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

/** The steps of a request in their order (design, section 1). Each throws the ApiError with which it refuses the request. */
const stackOf = <S extends Schemas, Prefetched>({
  input: schemas,
  acceptedFields = () => [],
  prefetch,
  respond,
}: EndpointParts<S, Prefetched>) =>
  middy<APIGatewayProxyEvent, Reply, Error, Call & Context>(
    async (event: APIGatewayProxyEvent, call: Call & Context) => {
      const [input, refuse] = parseInput(schemas, event, call.jsonBody);
      const ownPrefetch =
        prefetch && input
          ? async (context: PrefetchContext) => prefetch({ ...context, input })
          : undefined;
      const admitted = await admit(event, call, ownPrefetch);
      if (refuse) throw refuse(acceptedFields(admitted.organization));
      const { table, requestId } = call;
      // Undefined only for an endpoint without a prefetch, whose `Prefetched` is undefined.
      const prefetched = (await admitted.prefetched) as Prefetched;
      return respond({ table, requestId, input, ...admitted, prefetched });
    },
    { timeoutEarlyInMillis: 0 },
  ).use(transport());

/**
 * Fails before the deadline, whatever hangs. If the platform ended the function, the caller would get a body that is not the contract's.
 * @throws Error after so many milliseconds
 */
async function within<T>(ms: number, result: Promise<T>): Promise<T> {
  const { promise: timeUp, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`No response within ${ms} ms.`)), ms);
  try {
    return await Promise.race([result, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
