import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route } from './routes.ts';

/** The parts of a request that the event is made from. */
export interface GatewayRequest {
  readonly method: string;
  /** Without the query string, percent-encoded as the client sent it. */
  readonly path: string;
  readonly query: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  /** A UUID, or the caller's own (`requestIdOf`). */
  readonly requestId: string;
  readonly extendedRequestId: string;
}

/**
 * The ID that API Gateway returns in X-Amzn-RequestId: callers can send their own
 * (https://docs.aws.amazon.com/apigateway/latest/developerguide/set-up-logging.html).
 */
export const requestIdOf = ({ headers }: Pick<IncomingMessage, 'headers'>): string =>
  /^[!-~]{1,128}$/.exec(String(headers['x-amzn-requestid'] ?? ''))?.[0] ?? randomUUID();

/** The ID that API Gateway returns in X-Amz-Apigw-Id. Callers cannot choose it. */
export const newExtendedRequestId = (): string => `${randomBytes(11).toString('base64url')}=`;

/** Splits the request target, which may be a complete URL. */
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>) {
  const [path, ...query] = url.replace(/^https?:\/\/[^/?#]*/i, '').split('?');
  return { path: path || '/', query: query.join('?') };
}

/** An event without what no function reads: of its context it has the IDs of the request, of the gateway's own headers the protocol. */
export type GatewayEvent = Omit<APIGatewayProxyEvent, 'requestContext'> & {
  readonly requestContext: { readonly requestId: string; readonly extendedRequestId: string };
};

/**
 * The event that API Gateway's REST API passes to a Lambda proxy integration. The rules are those of events recorded from AWS
 * (localstack/localstack, tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json):
 * - A trailing slash stays in `path`, and no route depends on it.
 * - `path` and path parameters stay percent-encoded. Query parameters are decoded once, with `+` as a space.
 * - Header names keep the client's case. Single-value maps have the last of several values.
 */
export function eventFor(
  request: GatewayRequest,
  { endpoint, pathParameters }: Route,
): GatewayEvent {
  const headers = headersOf(request);
  const query = queryOf(request.query);
  return {
    resource: endpoint.path,
    path: request.path,
    httpMethod: request.method,
    headers: lastValues(headers),
    multiValueHeaders: headers,
    queryStringParameters: query && lastValues(query),
    multiValueQueryStringParameters: query,
    pathParameters,
    stageVariables: null,
    requestContext: {
      requestId: request.requestId,
      extendedRequestId: request.extendedRequestId,
    },
    // The API has no binary media types, so every body is passed on as text, with U+FFFD for bytes that are not UTF-8
    // (developer guide, "Content type conversions in API Gateway").
    body: request.body.length > 0 ? request.body.toString() : null,
    isBase64Encoded: false,
  };
}

type MultiValues = Record<string, string[]>;

function headersOf({ rawHeaders }: GatewayRequest): MultiValues {
  const sent = rawHeaders.flatMap((name, at) =>
    at % 2 === 0
      ? [{ name, lowerCase: name.toLowerCase(), value: fromLatin1(rawHeaders[at + 1] ?? '') }]
      : [],
  );
  const { 'x-forwarded-proto': protos = [], ...others } = Object.groupBy(
    sent,
    ({ lowerCase }) => lowerCase,
  );
  // This listener stands in for the gateway's TLS endpoint: only a request with this header counts as plain HTTP.
  const isPlain = protos.some(({ value }) => value.trim().toLowerCase() === 'http');
  return {
    ...Object.fromEntries(
      Object.values(others).map((same = []) => [same[0]?.name, same.map(({ value }) => value)]),
    ),
    'X-Forwarded-Proto': [isPlain ? 'http' : 'https'],
  };
}

/** Node.js decodes header bytes as Latin-1; the gateway passes them on as UTF-8 if they are valid UTF-8. */
function fromLatin1(value: string): string {
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? value : text;
}

function queryOf(text: string): MultiValues | null {
  const parameters = new URLSearchParams(text);
  if (parameters.size === 0) return null;
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

const lastValues = (values: MultiValues): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));
