import middy from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import { type EndpointName, endpointNamed } from '../endpoints.ts';
import type { Organization } from '../organization/organization.ts';
import type { Caller } from '../store/organizations/admission.ts';
import { openTable, type Table, usableUntil } from '../store/table/client.ts';
import { noConsumedCapacity, withCapacityMetering } from '../store/table/consumed-capacity.ts';
import { admission } from './admission.ts';
import { authorize } from './authorize.ts';
import type { Call } from './call.ts';
import { errorResponse, type Reply, replyResponse } from './respond.ts';
import { transport } from './transport.ts';
import { type Input, parseInput, refuseInput, type Schemas } from './validate.ts';

/** What is known while admission runs: enough to read ahead, not yet allowed to answer. */
export interface PrefetchContext<S extends Schemas> {
  readonly table: Table;
  readonly organizationId: number;
  readonly keyId: string;
  /** The settings this function saw last; those of the call may be newer. */
  readonly cachedOrganization: Organization | undefined;
  readonly input: Input<S>;
}

/** What an endpoint's story is told from. */
export type ReadyCall<S extends Schemas, Prefetched> = Input<S> & {
  readonly table: Table;
  readonly caller: Caller;
  readonly organization: Organization;
  /** For an endpoint that numbers leads: the organization's sequence, advanced for this request alone. `newLeadId` makes an id of it. */
  readonly leadSequence: number;
  readonly requestId: string;
  /** What was read beside admission. */
  readonly prefetched: Prefetched;
};

/**
 * Room to answer before the platform ends the function, in milliseconds. The sum, at worst: a request waits for three calls in turn
 * (admission; owner's turn or lead; transaction), each of which may take what `client.ts` says, and looks again for two seconds more.
 * That is more than a function has, so not the sum of the waits but this deadline, 9.5 s after the start of a function of 10 s, makes the last answer
 * arrive; API Gateway waits 29 s. One call that fails alone is answered before that: after 3.2 s of silence or of bodies that stall, or 6.2 s of
 * throttling or of headers that come late.
 */
const responseReserveMs = 500;

let sharedTable: Table | undefined;

/**
 * The Lambda handler of an endpoint: the stack in its order (design, section 1), then the endpoint's own story.
 * @param prefetched reads that run beside admission and are dropped when it refuses; they must not write
 */
export function endpoint<S extends Schemas, Prefetched>(
  name: EndpointName,
  schemas: S,
  prefetched: (early: PrefetchContext<S>) => Promise<Prefetched>,
  run: (call: ReadyCall<S, Prefetched>) => Promise<Reply>,
): (event: APIGatewayProxyEvent, context: Context) => Promise<APIGatewayProxyResult> {
  const row = endpointNamed(name);
  const stack = middy<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Call & Context>(
    async (_event: APIGatewayProxyEvent, call: Call & Context) => replyResponse(call, await run(await readyCall(call))),
    { timeoutEarlyInMillis: 0 },
  )
    .onError(async (request) => {
      if (request.context.deadline.aborted) return; // answered already, and logged
      request.response = await errorResponse(request.context, request.error);
    })
    .use([
      transport(),
      parseInput(schemas),
      admission(prefetched as Parameters<typeof admission>[0]),
      authorize(),
      refuseInput(),
    ]);

  return async (event, context) => {
    sharedTable ??= openTable();
    const consumedCapacity = noConsumedCapacity();
    const deadline = new AbortController();
    const call: Call = {
      endpoint: row,
      table: withCapacityMetering(usableUntil(sharedTable, deadline.signal), consumedCapacity),
      consumedCapacity,
      deadline: deadline.signal,
      requestId: event.requestContext.requestId,
      startedAt: Date.now(),
      responseHeaders: {},
    };
    return beforeDeadline(stack(event, call as Call & Context), context, call, deadline);
  };
}

/** For an endpoint that reads nothing ahead. */
export const nothingPrefetched = async (): Promise<undefined> => undefined;

async function readyCall<S extends Schemas, Prefetched>(call: Call): Promise<ReadyCall<S, Prefetched>> {
  const { input, table, caller, organization, leadSequence, requestId } = call;
  if (!input?.ok) throw new Error('The stack ran an endpoint without input.');
  return {
    ...input.parts,
    table,
    caller,
    organization,
    leadSequence,
    requestId,
    prefetched: await call.prefetched,
  } as unknown as ReadyCall<S, Prefetched>;
}

/**
 * Answers INTERNAL in time, whatever hangs: the platform's own end would leave the caller without a body of the contract.
 * Nothing is sent to DynamoDB after an answer, this one or any other. Lambda freezes a function that has answered, so what it still meant to send would go out with
 * a request of minutes later, past what `applySettings` waits for and past the caller's own repeat.
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
      deadline.abort();
      resolve(errorResponse(call, new Error(`No answer within ${ms} ms.`)));
    }, ms);
  });
  try {
    return await Promise.race([response, lastReply]);
  } finally {
    clearTimeout(timer);
    deadline.abort(); // such as a token that is still being taken while the settings could not be read
  }
}
