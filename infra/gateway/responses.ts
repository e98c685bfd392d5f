import { apiErrors, type ErrorCode, errorBody } from '../../shared/contract/errors.ts';
import { limits } from '../../shared/contract/limits.ts';

/** A response that API Gateway sends itself, without a function. */
export interface GatewayResponse {
  readonly code: ErrorCode;
  /** Replaces the error code's own sentence where it would be wrong. */
  readonly message?: string;
  readonly retryAfterSeconds?: number;
}

/**
 * A response for every response type of API Gateway. A type that is not set would get a default response (API Gateway developer guide,
 * "Gateway response types"). The deployed API (stack/lead-api.ts) and the local gateway (local/gateway.ts) both use these.
 *
 * No method has an authorizer, an IAM check, a validator or a usage plan. Their responses are set anyway, so that switching one of them on
 * does not add another error format.
 */
export const gatewayResponses = {
  MISSING_AUTHENTICATION_TOKEN: { code: 'NOT_FOUND' },
  RESOURCE_NOT_FOUND: { code: 'NOT_FOUND' },
  /**
   * No method uses AWS signatures. The gateway checks for a signature only at an unknown address, where it takes `Authorization: Bearer …`
   * for an invalid one. So a request with a key to an unknown address gets this response or DEFAULT_4XX.
   */
  INVALID_SIGNATURE: { code: 'NOT_FOUND' },
  EXPIRED_TOKEN: { code: 'NOT_FOUND' },

  REQUEST_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE' },
  UNSUPPORTED_MEDIA_TYPE: { code: 'UNSUPPORTED_MEDIA_TYPE' },
  BAD_REQUEST_BODY: { code: 'INVALID_JSON' },
  BAD_REQUEST_PARAMETERS: { code: 'INVALID_QUERY' },

  UNAUTHORIZED: { code: 'UNAUTHORIZED' },
  INVALID_API_KEY: { code: 'UNAUTHORIZED' },
  ACCESS_DENIED: {
    code: 'FORBIDDEN',
    message: 'Requests from this address are not allowed.',
  },
  WAF_FILTERED: { code: 'FORBIDDEN', message: 'The firewall refused this request.' },

  /** The gateway's own throttle counts per second and across all callers: it is not the hourly limit of a key. */
  THROTTLED: {
    code: 'RATE_LIMITED',
    message: 'Too many requests at this moment: retry after the seconds in Retry-After.',
    retryAfterSeconds: 1,
  },
  QUOTA_EXCEEDED: { code: 'RATE_LIMITED', retryAfterSeconds: limits.windowMs / 1000 },

  /** INTEGRATION_FAILURE: the function crashed, or its response exceeded Lambda's limit. INTEGRATION_TIMEOUT: it timed out. */
  INTEGRATION_FAILURE: { code: 'INTERNAL' },
  INTEGRATION_TIMEOUT: { code: 'INTERNAL' },
  API_CONFIGURATION_ERROR: { code: 'INTERNAL' },
  AUTHORIZER_CONFIGURATION_ERROR: { code: 'INTERNAL' },
  AUTHORIZER_FAILURE: { code: 'INTERNAL' },

  /**
   * The remaining 4xx responses are for requests that the gateway cannot route: addresses that it cannot parse, and some invalid signatures
   * (INVALID_SIGNATURE). It knows only that no endpoint has this address, and every other 4xx code of the contract names another cause.
   */
  DEFAULT_4XX: { code: 'NOT_FOUND' },
  DEFAULT_5XX: { code: 'INTERNAL' },
} as const satisfies Record<string, GatewayResponse>;

export type GatewayResponseType = keyof typeof gatewayResponses;

/** Status, headers and body of a response: the contract's error. The gateway adds `X-Request-Id` to the headers. */
export function gatewayReply({
  code,
  message = apiErrors[code].sentence,
  retryAfterSeconds,
}: GatewayResponse): { status: number; headers: Record<string, string>; body: string } {
  return {
    status: apiErrors[code].status,
    headers: {
      'Content-Type': 'application/json',
      'Cache-Control': 'no-store',
      ...(retryAfterSeconds !== undefined && { 'Retry-After': String(retryAfterSeconds) }),
    },
    body: JSON.stringify(errorBody(code, message)),
  };
}
