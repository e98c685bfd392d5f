import type { EndpointName } from '../../shared/endpoints.ts';
import { endpoints } from '../../shared/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/errors.ts';

/**
 * Which errors an endpoint can answer (contract, sections 4 and 7), as data: the API description is made from it, and the tests hold
 * every answer to it.
 */

/** Every endpoint's. */
const common: readonly ErrorCode[] = ['KEY_IN_URL', 'UNAUTHORIZED', 'FORBIDDEN', 'HTTPS_REQUIRED', 'RATE_LIMITED', 'INTERNAL'];

/** Those of an endpoint that takes a body. */
const ofBodies: readonly ErrorCode[] = ['INVALID_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'];

/** What an endpoint answers beyond the two lists above. */
export const ownErrors: Readonly<Record<EndpointName, readonly ErrorCode[]>> = {
  'list-leads': ['INVALID_QUERY'],
  'create-lead': ['DUPLICATE_LEAD', 'VALIDATION_FAILED'],
  'capture-lead': ['INVALID_IDEMPOTENCY_KEY', 'IDEMPOTENCY_IN_PROGRESS', 'VALIDATION_FAILED', 'NOT_READY'],
  'get-lead': ['NOT_FOUND'],
  'update-lead': ['NOT_FOUND', 'DUPLICATE_LEAD', 'VALIDATION_FAILED'],
  'add-note': ['NOT_FOUND', 'VALIDATION_FAILED'],
  'list-lead-fields': [],
  'list-lead-stages': [],
  'list-pipelines': [],
  'list-lead-sources': [],
  'list-users': [],
};

/** Every error code of an endpoint, by status and then in the order of the error table. */
export function errorsOf(name: EndpointName): ErrorCode[] {
  const takesBody = endpoints.some((endpoint) => endpoint.name === name && endpoint.takesBody);
  const codes = new Set([...common, ...(takesBody ? ofBodies : []), ...ownErrors[name]]);
  return (Object.keys(apiErrors) as ErrorCode[])
    .filter((code) => codes.has(code))
    .sort((a, b) => apiErrors[a].status - apiErrors[b].status);
}

/**
 * Whether an error carries the `RateLimit-*` headers, which stand on a response once the key has been checked (contract, section 1).
 * The gateway's own throttle and a failure may come before the check or after it.
 */
export const showsLimits: Readonly<Record<ErrorCode, 'always' | 'sometimes' | 'never'>> = {
  KEY_IN_URL: 'never',
  INVALID_JSON: 'never',
  INVALID_QUERY: 'always',
  INVALID_IDEMPOTENCY_KEY: 'always',
  UNAUTHORIZED: 'never',
  FORBIDDEN: 'always',
  HTTPS_REQUIRED: 'never',
  NOT_FOUND: 'always',
  DUPLICATE_LEAD: 'always',
  IDEMPOTENCY_IN_PROGRESS: 'always',
  PAYLOAD_TOO_LARGE: 'never',
  UNSUPPORTED_MEDIA_TYPE: 'never',
  VALIDATION_FAILED: 'always',
  RATE_LIMITED: 'sometimes',
  INTERNAL: 'sometimes',
  NOT_READY: 'always',
};
