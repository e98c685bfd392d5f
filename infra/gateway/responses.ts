import { apiErrors, type ErrorCode, errorBody } from '../../shared/errors.ts';
import { limits } from '../../shared/limits.ts';

/** A response that API Gateway sends itself, without a function. */
export interface GatewayResponse {
  readonly status: number;
  readonly code: ErrorCode;
  /** Replaces the sentence of the error code where that would be wrong. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/**
 * Every response type of API Gateway, with its status: the status of a default would apply to every type without one (API Gateway
 * developer guide, "Gateway response types"). The deployed API (stack/lead-api.ts) and the local gateway (local/gateway.ts) both use these.
 *
 * No method has an authorizer, an IAM check, a validator or a usage plan. Their responses are set anyway, so that switching one on does
 * not add another error format.
 */
export const gatewayResponses = {
  MISSING_AUTHENTICATION_TOKEN: { status: 404, code: 'NOT_FOUND' },
  RESOURCE_NOT_FOUND: { status: 404, code: 'NOT_FOUND' },
  /**
   * No method uses AWS signatures. The gateway checks for one only at an unknown address, and reads `Authorization: Bearer …` as an
   * invalid one: a request with a key to an unknown address gets this response or DEFAULT_4XX.
   */
  INVALID_SIGNATURE: { status: 404, code: 'NOT_FOUND' },
  EXPIRED_TOKEN: { status: 404, code: 'NOT_FOUND' },

  REQUEST_TOO_LARGE: { status: 413, code: 'PAYLOAD_TOO_LARGE' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, code: 'UNSUPPORTED_MEDIA_TYPE' },
  BAD_REQUEST_BODY: { status: 400, code: 'INVALID_JSON' },
  BAD_REQUEST_PARAMETERS: { status: 400, code: 'INVALID_QUERY' },

  UNAUTHORIZED: { status: 401, code: 'UNAUTHORIZED' },
  INVALID_API_KEY: { status: 401, code: 'UNAUTHORIZED' },
  ACCESS_DENIED: {
    status: 403,
    code: 'FORBIDDEN',
    message: 'Requests from this address are not allowed.',
  },
  WAF_FILTERED: { status: 403, code: 'FORBIDDEN', message: 'The firewall refused this request.' },

  /** The gateway's own throttle counts per second and across all callers: it is not the hourly limit of a key. */
  THROTTLED: {
    status: 429,
    code: 'RATE_LIMITED',
    message: 'Too many requests at this moment: retry after the seconds in Retry-After.',
    retryAfterSeconds: 1,
  },
  QUOTA_EXCEEDED: { status: 429, code: 'RATE_LIMITED', retryAfterSeconds: limits.windowMs / 1000 },

  /** A function that crashed or returned more than Lambda's limit, and one that timed out. */
  INTEGRATION_FAILURE: { status: 500, code: 'INTERNAL' },
  INTEGRATION_TIMEOUT: { status: 500, code: 'INTERNAL' },
  API_CONFIGURATION_ERROR: { status: 500, code: 'INTERNAL' },
  AUTHORIZER_CONFIGURATION_ERROR: { status: 500, code: 'INTERNAL' },
  AUTHORIZER_FAILURE: { status: 500, code: 'INTERNAL' },

  /**
   * What is left are requests that the gateway cannot route: addresses that it cannot parse, and some of the signatures of
   * INVALID_SIGNATURE. It knows only that there is no endpoint at the address; every other 4xx code of the contract names another cause.
   */
  DEFAULT_4XX: { status: 404, code: 'NOT_FOUND' },
  DEFAULT_5XX: { status: 500, code: 'INTERNAL' },
} as const satisfies Record<string, GatewayResponse>;

export type GatewayResponseType = keyof typeof gatewayResponses;

/** The body of a response type: the contract's error body, as JSON text. */
export function gatewayResponseBody({
  code,
  message = apiErrors[code].sentence,
}: GatewayResponse): string {
  return JSON.stringify(errorBody(code, message));
}

/** The headers of a response type that do not depend on the request; `X-Request-Id` is added to them. */
export function gatewayResponseHeaders({
  retryAfterSeconds,
}: GatewayResponse): Readonly<Record<string, string>> {
  const headers = { 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
  return retryAfterSeconds === undefined
    ? headers
    : { ...headers, 'Retry-After': String(retryAfterSeconds) };
}
