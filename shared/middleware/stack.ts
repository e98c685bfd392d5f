import middy from '@middy/core';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Field, Organization } from '../organization/organization.ts';
import { admission, type PrefetchContext } from './admission.ts';
import { authorization } from './authorization.ts';
import type { Admitted, Call, JsonBody, ParsedInput, Reply, Step } from './call.ts';
import { type Input, input, type Schemas, validation } from './input.ts';
import { response } from './response.ts';
import { transport } from './transport.ts';

/** What an endpoint's `respond` receives once the request is authenticated, authorized and validated. */
export type ReadyCall<Input, Prefetched = undefined, Added = unknown> = Omit<
  Call & Admitted,
  'prefetched'
> &
  Added & { readonly input: Input; readonly prefetched: Prefetched };

/** The parts of an endpoint, in the order in which a request runs through them. */
export interface EndpointParts<S extends Schemas, Prefetched, Added> {
  /** `jsonBody()` for an endpoint that takes a body, so that the bundles of other endpoints do not contain the parser. */
  readonly body?: Step<JsonBody>[];
  readonly input: S;
  /** Additional steps of the endpoint. `Added` is what they add to the call. */
  readonly steps?: Step<ParsedInput<Input<S>> & Added>[];
  /** Reads that run in parallel with admission. They must not write, because the request may still be refused. */
  readonly prefetch?: (
    context: PrefetchContext & ParsedInput<Input<S>> & Added,
  ) => Promise<Prefetched>;
  /** The fields that the body's `fields` accepts. If one of them is sent outside `fields`, the error says where it belongs. */
  readonly acceptedFields?: (organization: Organization) => readonly Field[];
  readonly respond: (call: ReadyCall<Input<S>, Prefetched, Added>) => Promise<Reply>;
}

/**
 * The time to respond before the platform ends the function, in milliseconds. At worst, a request waits for three DynamoDB calls in turn:
 * admission, the rotation or the lead, and the transaction. `client.ts` limits each call, and conflicts add two seconds of retries. The sum
 * exceeds the function's time-out of 10 s, so this deadline ends the wait after 9.5 s. API Gateway would wait 29 s. A single call ends
 * earlier. It takes 3.1 s if DynamoDB is silent or stops in the middle of a response, and 6.1 s if it throttles or responds late.
 */
const responseReserveMs = 500;

/** Ends the wait before the platform ends the function, which would give the caller a body that is not in the contract. */
const deadline = {
  timeoutEarlyInMillis: responseReserveMs,
  timeoutEarlyResponse: (): never => {
    throw new Error('No response within the time of the function.');
  },
};

/** A call after every step has added its part. */
type CompleteCall<S extends Schemas, Prefetched, Added> = Call &
  JsonBody &
  ParsedInput<Input<S>> &
  Added &
  Admitted<Prefetched>;

/**
 * The steps of a request, in order (design, section 1). A step refuses a request by throwing an ApiError.
 *
 * The stack has two parts, because middy's early time-out covers only the handler, and an error or an early answer skips the `after` of
 * every step. So all steps but `response` form the handler of the stack that has `response`. Whatever a step does, `response` answers in
 * time and logs.
 */
export const stack = <S extends Schemas, Prefetched, Added>({
  body = [],
  input: schemas,
  steps = [],
  prefetch,
  acceptedFields,
  respond,
}: EndpointParts<S, Prefetched, Added>) =>
  middy(deadline)
    .use(response<CompleteCall<S, Prefetched, Added>>())
    .handler(
      middy<APIGatewayProxyEvent, Reply>({ timeoutEarlyInMillis: 0 })
        .use(transport())
        .use(body)
        .use(input(schemas))
        .use(steps)
        .use(admission(prefetch))
        .use(authorization())
        .use(validation(acceptedFields))
        .handler(async (_, call) =>
          respond({ ...call, prefetched: (await call.prefetched) as Prefetched }),
        ),
    );
