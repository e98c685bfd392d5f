import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { ApiError } from '../contract/errors.ts';
import { type Refusal, refusalOf, refusedNames, validationFailed } from '../contract/refusals.ts';
import type { Field, Organization } from '../organization/organization.ts';
import {
  type Admitted,
  decoded,
  headerValues,
  type JsonBody,
  type ParsedInput,
  type Step,
} from './call.ts';

/** The schema of each part that an endpoint reads; header names in lower case. */
export interface Schemas {
  readonly path?: v.GenericSchema;
  readonly headers?: v.GenericSchema;
  readonly query?: v.GenericSchema;
  readonly body?: v.GenericSchema & { readonly entries?: v.ObjectEntries };
}

/** The parts of a request as its schemas read them. */
export type Input<S extends Schemas> = {
  readonly [Part in keyof S]: S[Part] extends v.GenericSchema ? v.InferOutput<S[Part]> : never;
};

/**
 * Reads the request by the endpoint's schemas before admission, so that the endpoint can prefetch in parallel with admission. `validation`
 * refuses invalid input after authorization, because the API key is checked first (contract, section 5).
 */
export const input = <S extends Schemas>(schemas: S): Step<JsonBody & ParsedInput<Input<S>>> => {
  const properties = new Set([...otherNames, ...Object.keys(schemas.body?.entries ?? {})]);
  return {
    before: ({ event, context: call }) => {
      call.properties = properties;
      Object.assign(call, parseInput(schemas, event, call.jsonBody));
    },
  };
};

/** Other names that a refusal can have, besides the properties of a body: the whole body, and a used idempotency key. */
const otherNames = ['body', 'Idempotency-Key'];

/** Refuses input that does not fit the endpoint's schemas: NOT_FOUND, INVALID_IDEMPOTENCY_KEY, INVALID_QUERY, VALIDATION_FAILED. */
export const validation = (
  acceptedFields: (organization: Organization) => readonly Field[] = () => [],
): Step<ParsedInput & Pick<Admitted, 'organization'>> => ({
  before: ({ context: { inputError, organization } }) => {
    if (inputError) throw inputError(acceptedFields(organization));
  },
});

/** @returns the parts as their schemas read them, or the error of the first invalid part, in the order path, headers, query, body */
export function parseInput<S extends Schemas>(
  schemas: S,
  event: APIGatewayProxyEvent,
  jsonBody: unknown,
): Partial<ParsedInput<Input<S>>> {
  const parts: Partial<Record<keyof Schemas, unknown>> = {};
  for (const part of ['path', 'headers', 'query', 'body'] as const) {
    const schema = schemas[part];
    if (!schema) continue;
    const result = v.safeParse(schema, part === 'body' ? jsonBody : readers[part](event));
    if (!result.success) return { inputError: (accepted) => errors[part](result.issues, accepted) };
    parts[part] = result.output;
  }
  return { input: parts as Input<S> };
}

/** Path parameters, percent-decoded. */
const pathOf = (event: APIGatewayProxyEvent): Record<string, string> =>
  Object.fromEntries(
    Object.entries(event.pathParameters ?? {}).map(([name, value]) => [name, decoded(value ?? '')]),
  );

/** Every request header by its name in lower case. A repeated header is joined as HTTP joins it (RFC 9110, section 5.3). */
function headersOf(event: APIGatewayProxyEvent): Record<string, string> {
  const names = Object.keys(event.multiValueHeaders ?? {}).map((name) => name.toLowerCase());
  return Object.fromEntries(names.map((name) => [name, headerValues(event, name).join(', ')]));
}

/** Query parameters. A parameter that is given twice stays a list, which every schema refuses. */
const queryOf = (event: APIGatewayProxyEvent): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, values = []]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );

const readers = { path: pathOf, headers: headersOf, query: queryOf };

type Issues = [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]];

const errors: Readonly<
  Record<keyof Schemas, (issues: Issues, accepted: readonly Field[]) => ApiError>
> = {
  path: ([issue]) => new ApiError('NOT_FOUND', undefined, issue.message),
  headers: () => new ApiError('INVALID_IDEMPOTENCY_KEY'),
  query: (issues) => {
    const { named, message } = refusedNames([...refusalsOf(issues)]);
    const parameters = Object.fromEntries(named.map(([name, { sentence }]) => [name, sentence]));
    return new ApiError('INVALID_QUERY', { parameters }, message);
  },
  body: (issues, accepted) => {
    const fieldKeys = new Set(accepted.map(({ key }) => key));
    const refused = [...refusalsOf(issues)].map(([name, refusal]): [string, Refusal] =>
      refusal.reason === 'unknown_property' && fieldKeys.has(name)
        ? [name, { ...refusal, sentence: 'is a field: send it inside fields.' }]
        : [name, refusal],
    );
    return validationFailed(refused);
  },
};

/** Refusals by field key or property: `fields.course` is the field `course`, `attribution.utmTerm` keeps its path. */
export function refusalsOf(issues: Issues): Map<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  for (const issue of issues) {
    const path = (issue.path ?? []).map(({ key }) => String(key));
    const names = path[0] === 'fields' && path.length > 1 ? path.slice(1) : path;
    const name = names.length === 0 ? 'body' : names.join('.') || '(empty)';
    if (!refusals.has(name)) refusals.set(name, refusalOf(issue));
  }
  return refusals;
}
