import { type EndpointName, endpointNamed } from '../../shared/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/errors.ts';
import { keysOf } from '../../shared/keys-of.ts';
import { endpointDescriptions } from './endpoint-descriptions.ts';

/**
 * Which errors an endpoint can return (contract, sections 4 and 7). The document is made from this data, and the tests check every
 * response against it.
 */

/** The errors of every endpoint. */
const common: readonly ErrorCode[] = [
  'KEY_IN_URL',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'HTTPS_REQUIRED',
  'RATE_LIMITED',
  'INTERNAL',
];

/** The errors of an endpoint that takes a body. */
const ofBodies: readonly ErrorCode[] = [
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
];

/** Every error code of an endpoint, by status and then in the order of `shared/errors.ts`. */
export function errorsOf(name: EndpointName): ErrorCode[] {
  const codes = new Set<string>([
    ...common,
    ...(endpointNamed(name).takesBody ? ofBodies : []),
    ...Object.keys(endpointDescriptions[name].errors),
  ]);
  return keysOf(apiErrors)
    .filter((code) => codes.has(code))
    .sort((a, b) => apiErrors[a].status - apiErrors[b].status);
}

/**
 * Whether an error has the `RateLimit-*` headers, which are on a response after the API key was checked (contract, section 1).
 * The gateway's throttle and an internal error can come before the check or after it.
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
