import { type EndpointName, endpointNamed, takesBody } from '../../shared/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/errors.ts';
import { keysOf } from '../../shared/keys-of.ts';
import type { OperationDescription } from './endpoint-description.ts';
import { captureLead } from './endpoints/capture-lead.ts';
import { leadDescriptions } from './endpoints/leads.ts';
import { listDescriptions } from './endpoints/reference-lists.ts';

/** The description of every endpoint. The compiler checks that each row of `shared/endpoints.ts` has one. */
export const endpointDescriptions: Readonly<Record<EndpointName, OperationDescription>> = {
  ...leadDescriptions,
  ...listDescriptions,
  'capture-lead': captureLead,
};

/** The errors of every endpoint (contract, section 7). */
export const commonErrors: readonly ErrorCode[] = [
  'KEY_IN_URL',
  'UNAUTHORIZED',
  'FORBIDDEN',
  'HTTPS_REQUIRED',
  'RATE_LIMITED',
  'INTERNAL',
];

/** The errors of an endpoint that takes a body. */
export const bodyErrors: readonly ErrorCode[] = [
  'INVALID_JSON',
  'PAYLOAD_TOO_LARGE',
  'UNSUPPORTED_MEDIA_TYPE',
];

/**
 * Every error code of an endpoint, by status and then in the order of `shared/errors.ts`. The document is made from this data, and the
 * tests check every response against it.
 */
export function errorsOf(name: EndpointName): ErrorCode[] {
  const codes = new Set<string>([
    ...commonErrors,
    ...(takesBody(endpointNamed(name)) ? bodyErrors : []),
    ...Object.keys(endpointDescriptions[name].errors),
  ]);
  return keysOf(apiErrors)
    .filter((code) => codes.has(code))
    .sort((a, b) => apiErrors[a].status - apiErrors[b].status);
}

const beforeTheKey: ReadonlySet<ErrorCode> = new Set([
  ...bodyErrors,
  'KEY_IN_URL',
  'UNAUTHORIZED',
  'HTTPS_REQUIRED',
]);

/**
 * Whether an error has the `RateLimit-*` headers, which are on a response after the API key was checked (contract, section 1).
 * The gateway's throttle and an internal error can come before the check or after it.
 */
export function showsLimits(code: ErrorCode): 'always' | 'sometimes' | 'never' {
  if (code === 'RATE_LIMITED' || code === 'INTERNAL') return 'sometimes';
  return beforeTheKey.has(code) ? 'never' : 'always';
}
