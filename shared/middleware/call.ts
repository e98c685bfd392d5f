import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, APIGatewayProxyResult } from 'aws-lambda';
import type { Endpoint } from '../endpoints.ts';
import type { ApiError } from '../errors.ts';
import type { Organization } from '../organization/organization.ts';
import type { Caller } from '../store/organizations/admission.ts';
import type { Table } from '../store/table/client.ts';
import type { ConsumedCapacity } from '../store/table/consumed-capacity.ts';

export type ParsedInput =
  | { readonly ok: true; readonly parts: Readonly<Record<string, unknown>> }
  | { readonly ok: false; readonly error: ApiError };

/** What belongs to one call, filled in by the middlewares in their order. It travels as middy's context. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly table: Table;
  /** What the call has cost at `table`. */
  readonly consumedCapacity: ConsumedCapacity;
  /** API Gateway's id of the request. */
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  /** Aborted when the call was answered because its time was up: nothing is done for it any more. */
  readonly deadline: AbortSignal;
  /** Headers of the response, by name. */
  readonly responseHeaders: Record<string, string>;
  /** The parsed JSON body; undefined where the endpoint takes none. */
  jsonBody?: unknown;
  input?: ParsedInput;
  caller?: Caller;
  organization?: Organization;
  leadSequence?: number;
  /** The reads that run beside admission. */
  prefetched?: Promise<unknown>;
}

export type Middleware = MiddlewareObj<APIGatewayProxyEvent, APIGatewayProxyResult, Error, Call & object>;

/**
 * The values of a request header, its name in any case; each line of a repeated header is a value of its own.
 * API Gateway fills both maps; a caller that fills one is understood too.
 */
export function headerValues({ headers, multiValueHeaders }: APIGatewayProxyEvent, name: string): string[] {
  const lines = Object.entries(multiValueHeaders ?? {}).filter(([header]) => header.toLowerCase() === name);
  if (lines.length > 0) return lines.flatMap(([, values]) => values ?? []);
  return Object.entries(headers ?? {}).flatMap(([header, value]) =>
    header.toLowerCase() === name && value !== undefined ? [value] : [],
  );
}
