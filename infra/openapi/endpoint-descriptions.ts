import type * as v from 'valibot';
import { keysOf } from '../../shared/base/maps.ts';
import {
  type EndpointName,
  endpointNamed,
  endpoints,
  takesBody,
} from '../../shared/contract/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/contract/errors.ts';
import type { OperationDescription } from './endpoint-description.ts';
import { detailSchemas } from './error-schemas.ts';
import { sharedSchemas } from './response-schemas.ts';

const descriptionOf = async (name: EndpointName): Promise<OperationDescription> =>
  (await import(`../../functions/${name}/description.ts`)).description;

/** The description of every endpoint: `functions/NAME/description.ts`. */
export const endpointDescriptions = Object.fromEntries(
  await Promise.all(endpoints.map(async ({ name }) => [name, await descriptionOf(name)])),
) as Readonly<Record<EndpointName, OperationDescription>>;

/** The original order of `openapi.json`, so that a diff shows only changes. Newer names follow. */
const schemaOrder = [
  ...['Lead', 'StageRef', 'NamedRef', 'Note', 'CaptureResult', 'FieldValue'],
  ...['LeadResponse', 'LeadPage', 'CaptureResponse', 'NoteResponse', ...keysOf(detailSchemas)],
  ...['LeadField', 'Stage', 'Pipeline', 'LeadFieldList', 'StageList', 'PipelineList'],
];
const ofEndpoints = Object.values(endpointDescriptions).map(({ schemas }) => schemas);

/** The schemas that have a name in the document, besides those of request bodies and errors. */
export const namedSchemas: Readonly<Record<string, v.GenericSchema>> = Object.assign(
  Object.fromEntries(schemaOrder.map((name) => [name, undefined])),
  sharedSchemas,
  ...ofEndpoints,
);

type Presence = 'always' | 'sometimes' | 'never';

/**
 * The errors of all endpoints, or of all that take a body (contract, section 7). `limits` says whether an error has the `RateLimit-*`
 * headers, which a response has once the API key was checked (contract, section 1). The gateway's throttle and an internal error can occur
 * before or after that check.
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
 * Every error code of an endpoint, by status, then in the order of `shared/contract/errors.ts`. The document is built from this data, and
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
