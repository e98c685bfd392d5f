import { type EndpointName, endpoints } from '../../shared/endpoints.ts';
import { apiErrors, type ErrorCode, errorBody } from '../../shared/errors.ts';
import type { Examples, OperationDescription } from './endpoint-description.ts';
import { endpointDescriptions } from './endpoint-descriptions.ts';
import { errorsOf, showsLimits } from './endpoint-errors.ts';
import { errorSchemaName } from './error-schemas.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';
import { type CarriedHeaders, headerReferences, limitHeaders } from './response-headers.ts';

const namedExamples = (named: Examples = {}): Json =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { value }]));

/** The media type object of a body. */
export const jsonContent = (schema: Json, named: Examples | undefined): Json => ({
  'application/json': { schema, examples: namedExamples(named) },
});

/** The statuses whose response is the same for every endpoint that has it, with the name of its component. */
const shared: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};

const description = (name: EndpointName): OperationDescription => endpointDescriptions[name];

/** Examples of an endpoint's error by name. An error without examples of its own is shown with its sentence, under its code. */
function errorExamples(name: EndpointName, code: ErrorCode): Examples {
  const own = description(name).errors[code] ?? {};
  return Object.keys(own).length > 0 ? own : { [code]: errorBody(code) };
}

/** Every response of an endpoint by status: its successes (contract, section 4), then its errors (sections 4 and 7). */
export function responsesOf(name: EndpointName): Json {
  const own = Object.entries(description(name).responses).map(
    ([status, { description, schema, headers = {}, examples }]) => {
      const content = jsonContent(jsonSchemaOf(schema), examples);
      return [
        status,
        {
          description,
          headers: headerReferences({ ...limitHeaders('always'), ...headers }),
          content,
        },
      ];
    },
  );
  const errors = [...codesByStatus(name)].map(([status, codes]) => {
    const component = shared[status];
    return [
      status,
      component ? { $ref: `#/components/responses/${component}` } : errorResponse(name, codes),
    ];
  });
  return Object.fromEntries([...own, ...errors]);
}

/** The shared responses by name, each from the first endpoint that has it. */
export function responseComponents(): Json {
  const entries = Object.entries(shared).map(([status, component]) => {
    for (const { name } of endpoints) {
      const codes = codesByStatus(name).get(Number(status));
      if (codes) return [component, errorResponse(name, codes)];
    }
    throw new Error(`No endpoint returns ${status}.`);
  });
  return Object.fromEntries(entries);
}

const codesByStatus = (name: EndpointName): Map<number, ErrorCode[]> =>
  Map.groupBy(errorsOf(name), (code) => apiErrors[code].status);

function errorResponse(name: EndpointName, codes: readonly ErrorCode[]): Json {
  const named = Object.assign({}, ...codes.map((code) => errorExamples(name, code)));
  return {
    description: codes.map((code) => `\`${code}\`: ${apiErrors[code].sentence}`).join('\n\n'),
    headers: headerReferences(headersOf(codes)),
    content: jsonContent(errorSchema(codes), named),
  };
}

/** The headers of one status: a header is always there if every error of the status always has it, else sometimes. */
function headersOf(codes: readonly ErrorCode[]): CarriedHeaders {
  const presences = new Set(codes.map((code) => showsLimits[code]));
  const limits =
    presences.size === 1 && presences.has('never')
      ? {}
      : limitHeaders(presences.size === 1 && presences.has('always') ? 'always' : 'sometimes');
  return codes.includes('RATE_LIMITED') ? { ...limits, 'Retry-After': 'always' } : limits;
}

/** The error body of a status: one of the codes' own. */
function errorSchema(codes: readonly ErrorCode[]): Json {
  const references = codes.map((code) => ({
    $ref: `#/components/schemas/${errorSchemaName(code)}`,
  }));
  return references.length === 1 ? { ...references[0] } : { anyOf: references };
}
