import type { APIGatewayProxyEvent } from 'aws-lambda';
import * as v from 'valibot';
import { ApiError } from '../errors.ts';
import { type Refusal, refusalIn, validationFailed } from '../validation.ts';
import { decoded, headerValues } from './call.ts';

/** The schema of each part that an endpoint reads; header names in lower case. */
export interface Schemas {
  readonly path?: v.GenericSchema;
  readonly headers?: v.GenericSchema;
  readonly query?: v.GenericSchema;
  readonly body?: v.GenericSchema;
}

/** The parts of a request as its schemas read them. */
export type Input<S extends Schemas> = {
  readonly [Part in keyof S]: S[Part] extends v.GenericSchema ? v.InferOutput<S[Part]> : never;
};

/**
 * Reads the request by the endpoint's schemas before admission, so that the endpoint can prefetch in parallel with it. The error is thrown
 * after admission, because the API key is checked first (contract, section 5).
 * @returns the parts as their schemas read them, or the error of the first part that is wrong, in the order path, headers, query, body
 */
export function parseInput<S extends Schemas>(
  { path, headers, query, body }: S,
  event: APIGatewayProxyEvent,
  jsonBody: unknown,
): Input<S> | ApiError {
  try {
    const parts = {
      ...(path && { path: parse(path, pathOf(event), notFound) }),
      ...(headers && { headers: parse(headers, headersOf(event), invalidKey) }),
      ...(query && { query: parse(query, queryOf(event), invalidQuery) }),
      ...(body && { body: parse(body, jsonBody, invalidBody) }),
    };
    return parts as Input<S>;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return error;
  }
}

type Issues = [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]];

function parse(
  schema: v.GenericSchema,
  input: unknown,
  refusal: (issues: Issues) => ApiError,
): unknown {
  const result = v.safeParse(schema, input);
  if (!result.success) throw refusal(result.issues);
  return result.output;
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

/** Query parameters. One that is given twice stays a list, which every schema refuses. */
const queryOf = (event: APIGatewayProxyEvent): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(event.multiValueQueryStringParameters ?? {}).map(([name, values = []]) => [
      name,
      values.length === 1 ? values[0] : values,
    ]),
  );

const notFound = ([issue]: Issues): ApiError => new ApiError('NOT_FOUND', undefined, issue.message);

const invalidKey = (): ApiError => new ApiError('INVALID_IDEMPOTENCY_KEY');

const invalidBody = (issues: Issues): ApiError => validationFailed([...refusalsOf(issues)]);

function invalidQuery(issues: Issues): ApiError {
  const refused = [...refusalsOf(issues)].map(([name, { sentence }]) => [name, sentence] as const);
  const sentences = refused.slice(0, 3).map(([name, sentence]) => `${name} ${sentence}`);
  const parameters = Object.fromEntries(refused);
  return new ApiError('INVALID_QUERY', { parameters }, sentences.join(' '));
}

/** Refusals by field key or property: `fields.course` is the field `course`, `attribution.utmTerm` keeps its path. */
export function refusalsOf(issues: Issues): Map<string, Refusal> {
  const refusals = new Map<string, Refusal>();
  for (const issue of issues) {
    const path = (issue.path ?? []).map(({ key }) => String(key));
    const name =
      (path[0] === 'fields' && path.length > 1 ? path.slice(1) : path).join('.') || 'body';
    if (!refusals.has(name)) refusals.set(name, refusalIn(issue.message));
  }
  return refusals;
}
