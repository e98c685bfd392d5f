import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import type { Endpoint } from '../contract/endpoints.ts';
import type { Organization } from '../organization/organization.ts';
import type { Caller } from '../store/organizations/admission.ts';
import type { Table } from '../store/table/client.ts';
import type { ConsumedCapacity } from '../store/table/consumed-capacity.ts';

/** One call of an endpoint, which travels as middy's context: what its response and its log line need, also when it is refused. */
export interface Call {
  readonly endpoint: Endpoint;
  readonly table: Table;
  readonly consumedCapacity: ConsumedCapacity;
  /** API Gateway's ID of the request. */
  readonly requestId: string;
  /** Epoch milliseconds. */
  readonly startedAt: number;
  readonly responseHeaders: Record<string, string>;
  /** The parsed JSON body, set by `transport`; undefined for an endpoint that takes no body. */
  jsonBody?: unknown;
  /** Set by `admit` as soon as the API key is known, even if it was revoked or has expired, so that the log names it. */
  caller?: Caller | undefined;
  /** Set by `admit` once the key and the organization each gave a token. */
  organization?: Organization;
}

export type Middleware = MiddlewareObj<APIGatewayProxyEvent, unknown, Error, Call & Context>;

/** The values of a request header, its name in any case. Each line of a repeated header is a value of its own. */
export const headerValues = ({ multiValueHeaders }: APIGatewayProxyEvent, name: string): string[] =>
  Object.entries(multiValueHeaders ?? {}).flatMap(([header, values]) =>
    header.toLowerCase() === name ? (values ?? []) : [],
  );

/** Percent-decodes what can be decoded. The gateway decodes parameters once and does not decode paths. */
export function decoded(text: string): string {
  return text.replace(/(%[0-9a-f]{2})+/gi, (encoded) =>
    Buffer.from(encoded.replaceAll('%', ''), 'hex').toString(),
  );
}
