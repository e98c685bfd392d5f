import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult, Context } from 'aws-lambda';
import type { Endpoint } from '../endpoints.ts';
import type { ApiError } from '../errors.ts';
import type { Organization } from '../organization/organization.ts';
import type { Caller } from '../store/organizations/admission.ts';
import type { Table } from '../store/table/client.ts';
import type { ConsumedCapacity } from '../store/table/consumed-capacity.ts';

/** The parts of a request as the endpoint's schemas read them, or the error that says what is wrong with the first bad part. */
export type ParsedInput<Input> =
  | { readonly ok: true; readonly parts: Input }
  | { readonly ok: false; readonly error: ApiError };

/** What admission establishes about a call. */
export interface Admitted<Prefetched> {
  readonly caller: Caller;
  /** Whether the API key has one of the endpoint's scopes. */
  readonly hasScope: boolean;
  readonly organization: Organization;
  /** For an endpoint that numbers leads: the organization's sequence, advanced for this request. `newLeadId` makes an ID of it. */
  readonly leadSequence: number;
  /** The endpoint's prefetch, started in parallel with admission; undefined for an endpoint without one. */
  readonly prefetched: Promise<Prefetched> | undefined;
}

/** The state of one call. The middlewares fill in the optional properties in this order. It travels as middy's context. */
export interface Call<Input = unknown, Prefetched = unknown> {
  readonly endpoint: Endpoint;
  readonly table: Table;
  /** What the call has consumed of `table`. */
  readonly consumedCapacity: ConsumedCapacity;
  /** API Gateway's ID of the request. */
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Aborted when the call was answered because its time was up: no more work is done for it. */
  readonly deadline: AbortSignal;
  /** Headers of the response, by name. */
  readonly responseHeaders: Record<string, string>;
  /** The parsed JSON body, set by `transport`; undefined for an endpoint that takes no body. */
  jsonBody?: unknown;
  /** Set by `parseInput`. */
  input?: ParsedInput<Input>;
  /** Set by `admission` as soon as the API key is known, so that the log names the caller of a refused request too. */
  caller?: Caller;
  /** Set by `admission` once the key and the organization each gave a token. */
  admitted?: Admitted<Prefetched>;
}

export type Middleware<Input = unknown, Prefetched = unknown> = MiddlewareObj<
  APIGatewayProxyEvent,
  APIGatewayProxyResult,
  Error,
  Call<Input, Prefetched> & Context
>;

/**
 * The values of a request header, its name in any case. Each line of a repeated header is a value of its own.
 * API Gateway fills both maps of the event; an event with only one of them is read too.
 */
export function headerValues(
  { headers, multiValueHeaders }: APIGatewayProxyEvent,
  name: string,
): string[] {
  const spellings = spellingsOf(name, multiValueHeaders);
  if (spellings.length > 0)
    return spellings.flatMap((spelling) => multiValueHeaders[spelling] ?? []);
  return spellingsOf(name, headers).flatMap((spelling) => headers[spelling] ?? []);
}

/** The names of headers that are a name in another case. Called several times for each request: few names have the same length. */
const spellingsOf = (name: string, headers: object | null): string[] =>
  Object.keys(headers ?? {}).filter(
    (header) => header.length === name.length && header.toLowerCase() === name,
  );
