import { STATUS_CODES } from 'node:http';
import { keysOf } from '../../shared/base/maps.ts';
import type { EndpointName } from '../../shared/contract/endpoints.ts';
import { apiErrors, type ErrorCode, errorBody } from '../../shared/contract/errors.ts';
import type { Examples, OperationDescription } from './endpoint-description.ts';
import {
  endpointDescriptions,
  errorsOf,
  generalErrors,
  showsLimits,
} from './endpoint-descriptions.ts';
import { errorSchemaName } from './error-schemas.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';
import { headerReferences, limitHeaders, type ResponseHeader } from './response-headers.ts';

/** The media type object of a body. */
export const jsonContent = (schema: Json, named: Examples = {}): Json => ({
  'application/json': {
    schema,
    examples: Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { value }])),
  },
});

const byStatus = (codes: readonly ErrorCode[]): Map<number, ErrorCode[]> =>
  Map.groupBy(codes, (code) => apiErrors[code].status);

/** The name of the component for a status, if all endpoints share the same response. */
const componentOf = (status: number): string | undefined =>
  general.has(status) ? STATUS_CODES[status]?.replaceAll(' ', '') : undefined;

/** The codes of the shared responses. For status 400, an endpoint also has its own codes. */
const general = byStatus(keysOf(generalErrors));
general.delete(400);

/** The shared responses by name. */
export const responseComponents = (): Json =>
  Object.fromEntries(
    [...general].map(([status, codes]) => [componentOf(status), errorResponse(codes)]),
  );

/** All responses of an endpoint by status: its successes (contract, section 4), then its errors (sections 4 and 7). */
export function responsesOf(name: EndpointName): Json {
  const { responses, errors } = endpointDescriptions[name];
  const successes = Object.entries(responses).map(
    ([status, { description, schema, headers = [], examples }]) => [
      status,
      {
        description,
        headers: headerReferences([...limitHeaders, ...headers]),
        content: jsonContent(jsonSchemaOf(schema), examples),
      },
    ],
  );
  const failures = [...byStatus(errorsOf(name))].map(([status, codes]) => {
    const component = componentOf(status);
    return [
      status,
      component ? { $ref: `#/components/responses/${component}` } : errorResponse(codes, errors),
    ];
  });
  return Object.fromEntries([...successes, ...failures]);
}

/** The response for a status. An error without examples is shown with its sentence, under its code. */
function errorResponse(
  codes: readonly ErrorCode[],
  examples: OperationDescription['errors'] = {},
): Json {
  const named = codes.map((code) => {
    const own = examples[code] ?? {};
    return Object.keys(own).length > 0 ? own : { [code]: errorBody(code) };
  });
  return {
    description: codes.map((code) => `\`${code}\`: ${apiErrors[code].sentence}`).join('\n\n'),
    headers: headerReferences(headersOf(codes)),
    content: jsonContent(errorSchema(codes), Object.assign({}, ...named)),
  };
}

/** The headers that an error of the status can have. */
const headersOf = (codes: readonly ErrorCode[]): readonly ResponseHeader[] => [
  ...(codes.some((code) => showsLimits(code) !== 'never') ? limitHeaders : []),
  ...(codes.includes('RATE_LIMITED') ? (['Retry-After'] as const) : []),
];

/** The schema of the error body for a status. If the status has several codes, the body fits the schema of one of them. */
function errorSchema(codes: readonly ErrorCode[]): Json {
  const references = codes.map((code) => ({
    $ref: `#/components/schemas/${errorSchemaName(code)}`,
  }));
  return references.length === 1 ? { ...references[0] } : { anyOf: references };
}
