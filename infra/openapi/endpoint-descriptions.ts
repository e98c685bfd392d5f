import { keysOf } from '../../shared/base/maps.ts';
import { type EndpointName, endpointNamed, takesBody } from '../../shared/contract/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/contract/errors.ts';
import type { OperationDescription } from './endpoint-description.ts';
import { captureLead } from './endpoints/capture-lead.ts';
import { leadDescriptions } from './endpoints/leads.ts';
import { listDescriptions } from './endpoints/reference-lists.ts';

/** The description of every endpoint. The compiler checks that each row of `shared/contract/endpoints.ts` has one. */
export const endpointDescriptions: Readonly<Record<EndpointName, OperationDescription>> = {
  ...leadDescriptions,
  ...listDescriptions,
  'capture-lead': captureLead,
};

type Presence = 'always' | 'sometimes' | 'never';

/**
 * The errors that several endpoints have (contract, section 7): all endpoints, or those that take a body. And whether an error has the
 * `RateLimit-*` headers, which are on a response after the API key was checked (contract, section 1). The gateway's throttle and an
 * internal error can come before the check or after it.
 */
export const generalErrors: Readonly<
  Partial<Record<ErrorCode, { readonly ofBodies?: true; readonly limits: Presence }>>
> = {
  KEY_IN_URL: { limits: 'never' },
  INVALID_JSON: { ofBodies: true, limits: 'never' },
  UNAUTHORIZED: { limits: 'never' },
  FORBIDDEN: { limits: 'always' },
  HTTPS_REQUIRED: { limits: 'never' },
  PAYLOAD_TOO_LARGE: { ofBodies: true, limits: 'never' },
  UNSUPPORTED_MEDIA_TYPE: { ofBodies: true, limits: 'never' },
  RATE_LIMITED: { limits: 'sometimes' },
  INTERNAL: { limits: 'sometimes' },
};

/** Whether an error has the `RateLimit-*` headers. An endpoint's own errors always have them. */
export const showsLimits = (code: ErrorCode): Presence => generalErrors[code]?.limits ?? 'always';

/**
 * Every error code of an endpoint, by status and then in the order of `shared/contract/errors.ts`. The document is made from this data, and the
 * tests check every response against it.
 */
export function errorsOf(name: EndpointName): ErrorCode[] {
  const hasBody = takesBody(endpointNamed(name));
  const own = endpointDescriptions[name].errors;
  const isOf = (code: ErrorCode): boolean =>
    Object.hasOwn(own, code) ||
    (!!generalErrors[code] && (hasBody || !generalErrors[code].ofBodies));
  return keysOf(apiErrors)
    .filter(isOf)
    .sort((a, b) => apiErrors[a].status - apiErrors[b].status);
}
