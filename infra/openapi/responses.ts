import { type EndpointName, endpoints } from '../../shared/endpoints.ts';
import { apiErrors, type ErrorCode } from '../../shared/errors.ts';
import { errorsOf, showsLimits } from './endpoint-errors.ts';
import { errorExamples, examples } from './examples.ts';
import { type Json, jsonSchemaOf } from './json-schema.ts';
import { type CarriedHeaders, headerReferences, limitHeaders } from './response-headers.ts';
import { errorDetails, successResponses } from './response-schemas.ts';

const namedExamples = (named: Readonly<Record<string, unknown>> = {}): Json =>
  Object.fromEntries(Object.entries(named).map(([name, value]) => [name, { value }]));

/** The media type object of a body. */
export const jsonContent = (schema: Json, named: Readonly<Record<string, unknown>> | undefined): Json => ({
  'application/json': { schema, examples: namedExamples(named) },
});

/** Responses that are the same for every endpoint that has them. */
const shared: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  413: 'PayloadTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalServerError',
};

/** Every response of an endpoint by status: its successes (contract, section 4), then its errors (sections 4 and 7). */
export function responsesOf(name: EndpointName): Json {
  const own = Object.entries(successResponses[name]).map(([status, { description, schema, headers = {} }]) => {
    const content = jsonContent(jsonSchemaOf(schema), examples[name].answers[Number(status)]);
    return [status, { description, headers: headerReferences({ ...limitHeaders('always'), ...headers }), content }];
  });
  const errors = [...codesByStatus(name)].map(([status, codes]) => {
    const component = shared[status];
    return [status, component ? { $ref: `#/components/responses/${component}` } : errorResponse(name, codes)];
  });
  return Object.fromEntries([...own, ...errors]);
}

/** The shared responses, by name, as the first endpoint that has each answers it. */
export function responseComponents(): Json {
  const entries = Object.entries(shared).map(([status, component]) => {
    for (const { name } of endpoints) {
      const codes = codesByStatus(name).get(Number(status));
      if (codes) return [component, errorResponse(name, codes)];
    }
    throw new Error(`No endpoint answers ${status}.`);
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

/** What the errors of one status carry: always what each always does, sometimes what any ever does. */
function headersOf(codes: readonly ErrorCode[]): CarriedHeaders {
  const presences = new Set(codes.map((code) => showsLimits[code]));
  const limits =
    presences.size === 1 && presences.has('never')
      ? {}
      : limitHeaders(presences.size === 1 && presences.has('always') ? 'always' : 'sometimes');
  return codes.includes('RATE_LIMITED') ? { ...limits, 'Retry-After': 'always' } : limits;
}

/** The error body, narrowed to these codes and to the details that come with them. */
function errorSchema(codes: readonly ErrorCode[]): Json {
  const details = codes.flatMap((code) => errorDetails[code] ?? []);
  const [first, ...more] = details;
  if (more.length > 0) throw new Error(`Of the codes ${codes.join(', ')}, which share a status, more than one has details.`);
  const isAlways = codes.length === 1 && first?.always === true;
  return {
    $ref: '#/components/schemas/Error',
    properties: {
      error: {
        type: 'object',
        properties: {
          code: codes.length === 1 ? { const: codes[0] } : { enum: codes },
          ...(first && { details: { $ref: `#/components/schemas/${first.schema}` } }),
        },
        ...(isAlways && { required: ['details'] }),
      },
    },
  };
}
