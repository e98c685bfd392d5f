import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Endpoint } from '../contract/endpoints.ts';
import type { ApiError } from '../contract/errors.ts';
import type { Field, Organization } from '../organization/organization.ts';
import type { Caller } from '../store/organizations/admission.ts';
import type { Table } from '../store/table/client.ts';
import type { ConsumedCapacity } from '../store/table/consumed-capacity.ts';

/** One call of an endpoint, passed along as middy's context: what its response and log line need, even if the request is refused. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly table: Table;
  readonly consumedCapacity: ConsumedCapacity;
  /** API Gateway's ID of the request. */
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly responseHeaders: Record<string, string>;
  /** Set by `input`: property names of the endpoint's schema, which may be logged. Names that a caller made up may not. */
  properties?: ReadonlySet<string>;
  /** Set by `admission` as soon as the API key is known, even if it was revoked or has expired, so that the log names it. */
  caller?: Caller | undefined;
  /** Set by `admission` once it has taken a token from the key and from the organization. */
  organization?: Organization;
}

export interface Reply {
  readonly status: number;
  /** The lead that the request wrote or read, for the log. */
  readonly leadId?: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /** An earlier request decided this reply. Only `idempotency` reads it. */
  readonly isReplay?: boolean;
}

/** Set by `jsonBody`. */
export interface JsonBody {
  /** The parsed body. */
  jsonBody?: unknown;
}

/** Set by `input`. */
export interface ParsedInput<I = unknown> {
  /** Not set if there is an `inputError`. */
  input: I;
  /**
   * Why the request is refused. The error is made after admission, when the organization's fields are known.
   * @param accepted the fields that the body's `fields` accepts
   */
  inputError?: ((accepted: readonly Field[]) => ApiError) | undefined;
}

/** Set by `admission`. */
export interface Admitted<Prefetched = unknown> {
  caller: Caller;
  organization: Organization;
  /** For an endpoint that numbers leads: the organization's sequence, advanced for this request. `newLeadId` turns it into an ID. */
  leadSequence: number;
  /** The endpoint's prefetch, started in parallel with admission; undefined for an endpoint without one. */
  prefetched?: Promise<Prefetched> | undefined;
}

/** A step of the stack. `Added` is what this step and the steps before it add to the call. */
export type Step<Added = unknown> = MiddlewareObj<
  APIGatewayProxyEvent,
  Reply,
  Error,
  Context & Call & Added
>;

/** The values of a request header, whose name may be in any case. Each line of a repeated header is a separate value. */
export const headerValues = ({ multiValueHeaders }: APIGatewayProxyEvent, name: string): string[] =>
  Object.entries(multiValueHeaders ?? {}).flatMap(([header, values]) =>
    header.toLowerCase() === name ? (values ?? []) : [],
  );

/** Percent-decodes a text; returns it unchanged if it is malformed. The gateway decodes parameters once, and paths not at all. */
export function decoded(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (encoded) =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString(),
  );
}
