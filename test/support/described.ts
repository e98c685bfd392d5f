import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { routerFor } from '../../infra/gateway/routes.ts';
import { showsLimits } from '../../infra/openapi/endpoint-descriptions.ts';
import { errorDetails } from '../../infra/openapi/error-schemas.ts';
import { parseDateTime } from '../../shared/base/dates.ts';
import { type Endpoint, endpoints } from '../../shared/contract/endpoints.ts';
import type { ErrorCode } from '../../shared/contract/errors.ts';

/** The committed `openapi.json`, and whether requests and replies conform to it. `call` checks every exchange of a test. */

/** API Gateway's extended request ID: a base64url text of 11 bytes. */
export const requestIdForm = /^[\w-]{15}=$/;

export type Json = { readonly [key: string]: unknown };
interface Content {
  readonly content?: {
    readonly 'application/json': {
      readonly schema: Json;
      readonly examples?: Readonly<Record<string, { value: unknown }>>;
    };
  };
}
export interface DescribedResponse extends Content {
  readonly headers: Readonly<Record<string, Json>>;
}
export interface DescribedParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly schema: Json;
  readonly example?: unknown;
}
export interface DescribedOperation {
  readonly operationId: string;
  readonly parameters?: readonly DescribedParameter[];
  readonly requestBody?: Content;
  readonly responses: Readonly<Record<string, Json>>;
}
interface Document {
  readonly servers: readonly { readonly variables: Json }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, DescribedOperation>>>>;
  readonly components: Json;
}

const documentId = 'openapi.json';
const text = readFileSync(new URL('../../openapi.json', import.meta.url), 'utf8');
/** References in it start with its id, so that each schema can be validated on its own. */
export const document: Document = JSON.parse(
  text.replaceAll('"$ref": "#/', `"$ref": "${documentId}#/`),
);

/** The object that a reference of the document points to; any other value is returned as it is. */
export function resolved<Target>(value: Json): Target {
  const reference = value.$ref;
  if (typeof reference !== 'string') return value as Target;
  const steps = reference.replace(`${documentId}#/`, '').split('/');
  return steps.reduce<unknown>((at, step) => (at as Json)[step], document) as Target;
}

const ajv = new Ajv2020({ allErrors: true, strictTypes: false, coerceTypes: false });
ajv.addFormat('date-time', (text: string) => parseDateTime(text) !== undefined);
ajv.addFormat('int32', true);
ajv.addFormat('uri-reference', (text: string) => URL.canParse(text, 'http://host/'));
// The target of references inside a schema.
ajv.addKeyword('components');

ajv.addSchema({ $id: documentId, components: document.components });

/**
 * Why a value does not conform to a schema of the document; undefined when it does.
 * @param schema a schema, or the name of one in the components
 */
export function schemaIssue(schema: Json | string, value: unknown): string | undefined {
  const known = typeof schema === 'string' ? `${documentId}#/components/schemas/${schema}` : schema;
  return ajv.validate(known, value) ? undefined : ajv.errorsText(ajv.errors, { dataVar: 'body' });
}

export interface Exchange {
  readonly method: string;
  /** With the query string. */
  readonly url: URL;
  /** The request's body, parsed; undefined without a body, and for one that is not JSON. */
  readonly sent: unknown;
  readonly status: number;
  readonly headers: Headers;
  /** The reply's body, parsed. */
  readonly body: unknown;
}

/**
 * Checks an exchange against the document. The status is described for the endpoint, the body conforms, every required header is present,
 * and no undescribed header is. A request that succeeds must conform, too.
 * @throws Error that says what is not described
 */
export function assertDescribed(exchange: Exchange): void {
  const { method, url, status, body } = exchange;
  const endpoint = route(method, url.pathname)?.endpoint;
  const problems = endpoint
    ? problemsOf(operationOf(endpoint), exchange)
    : gatewayProblems(exchange);
  if (problems.length === 0) return;
  throw new Error(
    `${method} ${endpoint?.path ?? url.pathname} answered ${status} in a way that openapi.json does not describe (${problems.join('; ')}): ` +
      `${JSON.stringify(body)?.slice(0, 500)}. Either the service is wrong, or infra/openapi is: change it and run npm run openapi.`,
  );
}

const route = routerFor(endpoints);

/** An unknown address: NOT_FOUND in the standard error shape (contract, section 1). */
function gatewayProblems({ status, headers, body }: Exchange): string[] {
  const problems = [
    status === 404 ? undefined : 'an unknown address answers 404',
    schemaIssue('NotFoundError', body),
    headers.has('X-Request-Id') ? undefined : 'the header X-Request-Id is missing',
  ];
  return problems.filter((problem) => problem !== undefined);
}

function problemsOf(operation: DescribedOperation, exchange: Exchange): string[] {
  const { status, body } = exchange;
  const reference = operation.responses[status];
  if (!reference)
    return [`the status must be one of ${Object.keys(operation.responses).join(', ')}`];
  const response = resolved<DescribedResponse>(reference);
  const schema = response.content?.['application/json'].schema;
  return [
    ...(schema ? [schemaIssue(schema, body)] : []),
    detailsProblem(body),
    reasonsProblem(body),
    ...headerProblems(response, exchange),
    ...(status < 300 ? requestProblems(operation, exchange) : []),
  ].filter((problem) => problem !== undefined);
}

/** The document allows `details` for a code that has none; the service does not send them. */
function detailsProblem(body: unknown): string | undefined {
  const { code, details } =
    (body as { error?: { code: ErrorCode; details?: object } } | undefined)?.error ?? {};
  return code && details && !errorDetails[code] ? `${code} has no details` : undefined;
}

/** JSON schema cannot say that `details.fields` and `details.reasons` have the same keys. */
function reasonsProblem(body: unknown): string | undefined {
  const { fields = {}, reasons = {} } =
    (body as { error?: { details?: { fields?: object; reasons?: object } } } | undefined)?.error
      ?.details ?? {};
  const [named, explained] = [fields, reasons].map((one) => Object.keys(one).sort().join());
  return named === explained ? undefined : `fields has ${named}, but reasons has ${explained}`;
}

/** The operation of an endpoint. */
export function operationOf({
  method,
  path,
}: Pick<Endpoint, 'method' | 'path'>): DescribedOperation {
  const operation = document.paths[path]?.[method.toLowerCase()];
  if (!operation) throw new Error(`openapi.json has no ${method} ${path}: run npm run openapi.`);
  return operation;
}

const watched = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'Retry-After',
  'Location',
  'Idempotent-Replayed',
];

/** The status of which every response has a header that other responses may have. */
const requiredWith: Readonly<Record<string, number>> = { 'Retry-After': 429, Location: 201 };

function headerProblems(
  { headers: described }: DescribedResponse,
  { status, headers, body }: Exchange,
): (string | undefined)[] {
  const code = (body as { error?: { code: ErrorCode } } | undefined)?.error?.code;
  const limits = code && showsLimits(code);
  return watched.map((name) => {
    const value = headers.get(name);
    const isLimit = name.startsWith('RateLimit-');
    const reference = described[name];
    if (!reference || (isLimit && limits === 'never'))
      return value === null ? undefined : `the header ${name} is not described`;
    const isRequired = isLimit
      ? status < 300 || limits === 'always'
      : name === 'X-Request-Id' || status === requiredWith[name];
    if (value === null) return isRequired ? `the header ${name} is missing` : undefined;
    const { schema } = resolved<{ schema: Json }>(reference);
    const problem = schemaIssue(schema, asTyped(schema, value));
    return problem && `the header ${name} has ${value}: ${problem}`;
  });
}

const asTyped = ({ type }: Json, text: string): unknown =>
  type === 'integer' && /^-?\d+$/.test(text) ? Number(text) : text;

function requestProblems(
  { parameters = [], requestBody }: DescribedOperation,
  { url, sent }: Exchange,
): (string | undefined)[] {
  const schema = requestBody?.content?.['application/json'].schema;
  const bodyProblem = schema && schemaIssue(schema, sent);
  const inQuery = [...url.searchParams].map(([name, text]) => {
    const parameter = parameters.find((one) => one.in === 'query' && one.name === name);
    if (!parameter)
      return parameters.some((one) => one.in === 'query')
        ? `the query parameter ${name} is not described`
        : undefined;
    const { schema } = parameter;
    const inner = schema.contentSchema as Json | undefined;
    const problem =
      schemaIssue(schema, asTyped(schema, text)) ?? (inner && schemaIssue(inner, JSON.parse(text)));
    return problem && `the query parameter ${name}: ${problem}`;
  });
  return [bodyProblem && `the request's ${bodyProblem}`, ...inQuery];
}
