import { apiErrors, type ErrorCode, errorBody } from '../shared/errors.ts';
import { limits } from '../shared/limits.ts';

/** What API Gateway answers by itself, without a function. */
export interface GatewayResponse {
  readonly status: number;
  readonly code: ErrorCode;
  /** Where the error table's own sentence would not be true. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/**
 * Every response type that API Gateway knows, each with its status spelled out: a status given to a default would else
 * become that of every type without one (API Gateway developer guide, "Gateway response types").
 * The deployed API (lead-api.ts) and the local gateway (local/gateway.ts) both answer from this table.
 *
 * The gateway itself authorizes nobody here: no method has an authorizer, an IAM check, a validator or a usage plan. What those
 * would answer is set all the same, so that switching one on does not bring a foreign error shape with it.
 */
export const gatewayResponses = {
  MISSING_AUTHENTICATION_TOKEN: { status: 404, code: 'NOT_FOUND' },
  RESOURCE_NOT_FOUND: { status: 404, code: 'NOT_FOUND' },
  /**
   * No method takes an AWS signature. The gateway looks for one only where no method fits the address, and then takes
   * `Authorization: Bearer …` for a broken one: a caller with a key at an unknown address ends here or in DEFAULT_4XX.
   */
  INVALID_SIGNATURE: { status: 404, code: 'NOT_FOUND' },
  EXPIRED_TOKEN: { status: 404, code: 'NOT_FOUND' },

  REQUEST_TOO_LARGE: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  BAD_REQUEST_BODY: { status: 400, code: 'INVALID_JSON' },
  BAD_REQUEST_PARAMETERS: { status: 400, code: 'INVALID_QUERY' },

  UNAUTHORIZED: { status: 401, code: 'UNAUTHORIZED' },
  INVALID_API_KEY: { status: 401, code: 'UNAUTHORIZED' },
  ACCESS_DENIED: { status: 403, code: 'FORBIDDEN', message: 'Requests from this address are not allowed.' },
  WAF_FILTERED: { status: 403, code: 'FORBIDDEN', message: 'The firewall refused this request.' },

  /** The gateway's own throttle counts by the second and across all callers: nobody's hourly limit is used up. */
  THROTTLED: {
    status: 429,
    code: 'RATE_LIMITED',
    message: 'Too many requests at this moment: retry after the seconds in Retry-After.',
    retryAfterSeconds: 1,
  },
  QUOTA_EXCEEDED: { status: 429, code: 'RATE_LIMITED', retryAfterSeconds: limits.windowMs / 1000 },

  /** A function that crashed, or answered more than Lambda carries; and one that hung. */
  INTEGRATION_FAILURE: { status: 500, code: 'INTERNAL' },
  INTEGRATION_TIMEOUT: { status: 500, code: 'INTERNAL' },
  API_CONFIGURATION_ERROR: { status: 500, code: 'INTERNAL' },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, code: 'INTERNAL' },
  AUTHORIZER_FAILURE: { status: 500, code: 'INTERNAL' },

  /**
   * With all of the above named, what is left are requests that the gateway could not bring to an endpoint: addresses it cannot
   * read, and the half-read signatures of INVALID_SIGNATURE. Every other 4xx code of the contract names a cause that
   * the gateway has not seen; that there is no endpoint at this address is all it knows.
   */
  DEFAULT_4XX: { status: 404, code: 'NOT_FOUND' },
  DEFAULT_5XX: { status: 500, code: 'INTERNAL' },
} as const satisfies Record<string, GatewayResponse>;

export type GatewayResponseType = keyof typeof gatewayResponses;

/** The body of a response type: the contract's error body, as JSON text. */
export function gatewayResponseBody({ code, message = apiErrors[code].sentence }: GatewayResponse): string {
  return JSON.stringify(errorBody(code, message));
}

/** The headers of a response type that do not depend on the request; `X-Request-Id` comes on top. */
export function gatewayResponseHeaders({ retryAfterSeconds }: GatewayResponse): Readonly<Record<string, string>> {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return retryAfterSeconds === undefined ? headers : { ...headers, 'Retry-After': String(retryAfterSeconds) };
}
