import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type EndpointName, endpointNamed } from '../endpoints.ts';
import { inNoFile, openTable, type Table, usableUntil } from '../store/table/client.ts';
import { noConsumedCapacity, withCapacityMetering } from '../store/table/consumed-capacity.ts';
import { admission, type Prefetch } from './admission.ts';
import { authorize } from './authorize.ts';
import type { Admitted, Call } from './call.ts';
import { errorResponse, type Reply, replyResponse } from './respond.ts';
import { transport } from './transport.ts';
import { type Input, parseInput, refuseInput, type Schemas } from './validate.ts';

/** What an endpoint's `respond` receives once the request is authenticated, authorized and validated. */
export interface ReadyCall<Input, Prefetched>
  extends Omit<Admitted<Prefetched>, 'hasScope' | 'prefetched'> {
  readonly table: Table;
  readonly requestId: string;
  readonly input: Input;
  /** The result of the endpoint's `prefetch`. */
  readonly prefetched: Prefetched;
}

/** The parts of an endpoint, in the order in which a request runs through them. */
export interface EndpointParts<S extends Schemas, Prefetched> {
  /** The schemas of the parts of the request that the endpoint reads. */
  readonly input: S;
  /** Reads that run in parallel with admission. Their result is dropped when the request is refused, so they must not write. */
  readonly prefetch?: Prefetch<Input<S>, Prefetched>;
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

/** The Lambda handler of an endpoint: the stack in its order (design, section 1), then the endpoint's own `respond`. */
export function endpoint<S extends Schemas, Prefetched = undefined>(
  name: EndpointName,
  { input, prefetch, respond }: EndpointParts<S, Prefetched>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult> {
  type OwnCall = Call<Input<S>, Prefetched>;
  const row = endpointNamed(name);
  const stack = middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, OwnCall & Context>(
    async (_event: APIGatewayProxyEvent, call: OwnCall & Context) =>
      replyResponse(call, await respond(await readyCall(call))),
    { timeoutEarlyInMillis: 0 },
  )
    .onError((request) => {
      if (request.context.deadline.aborted) return; // the deadline has responded already, and logged it
      request.response = errorResponse(request.context, request.error);
    })
    .use([transport(), parseInput(input), admission(prefetch), authorize(), refuseInput()]);

  return async (event, context) => {
    sharedTable ??= openTable(undefined, inNoFile);
    const consumedCapacity = noConsumedCapacity();
    const deadline = new AbortController();
    const call: OwnCall = {
      endpoint: row,
      table: withCapacityMetering(usableUntil(sharedTable, deadline.signal), consumedCapacity),
      consumedCapacity,
      deadline: deadline.signal,
      // Callers cannot choose this one. API Gateway takes `requestId` from the header X-Amzn-RequestId of a request that has one
      // (https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-access-logging.html).
      requestId: event.requestContext.extendedRequestId ?? '',
      startedAt: Date.now(),
      responseHeaders: {},
    };
    return beforeDeadline(stack(event, call as OwnCall & Context), context, call, deadline);
  };
}

/** @throws Error if a middleware of the stack is missing */
async function readyCall<Input, Prefetched>(
  call: Call<Input, Prefetched>,
): Promise<ReadyCall<Input, Prefetched>> {
  const { table, requestId, input, admitted } = call;
  if (!input?.ok || !admitted)
    throw new Error('The stack ran an endpoint without parsed input or without admission.');
  const { prefetched, hasScope: _, ...rest } = admitted;
  // Undefined only for an endpoint without a prefetch, whose `Prefetched` is undefined.
  return {
    table,
    requestId,
    input: input.parts,
    ...rest,
    prefetched: (await prefetched) as Prefetched,
  };
}

/**
 * Responds INTERNAL before the deadline, whatever hangs. If the platform ended the function, the caller would get a body that is not the
 * contract's. Nothing is sent to DynamoDB after a response, this one or any other: Lambda freezes a function that has responded, so a
 * pending write would be sent with a request minutes later, after `applySettings` stopped waiting for it and after the caller's own retry.
 */
async function beforeDeadline(
  response: Promise<APIGatewayProxyResult>,
  context: Context,
  call: Call,
  deadline: AbortController,
): Promise<APIGatewayProxyResult> {
  const ms = context.getRemainingTimeInMillis() - responseReserveMs;
  let timer: NodeJS.Timeout | undefined;
  const lastReply = new Promise<APIGatewayProxyResult>((resolve) => {
    timer = setTimeout(() => {
      deadline.abort(answered);
      resolve(errorResponse(call, new Error(`No response within ${ms} ms.`)));
    }, ms);
  });
  try {
    return await Promise.race([response, lastReply]);
  } finally {
    clearTimeout(timer);
    deadline.abort(answered); // such as a token that is still being taken while the settings could not be read
  }
}
