import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Endpoint } from '../../shared/endpoints.ts';
import type { Route } from './routes.ts';

/** The name of the stage in `requestContext`. The address does not contain it, as under a custom domain. */
export const stage = 'local';

/** The parts of a request that the event is made from. */
export interface GatewayRequest {
  readonly method: string;
  /** Without the query string, percent-encoded as the client sent it. */
  readonly path: string;
  readonly query: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly protocol: string;
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
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): {
  path: string;
  query: string;
} {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  return { path: path || '/', query: at < 0 ? '' : target.slice(at + 1) };
}

/**
 * The event that API Gateway's REST API passes to a Lambda proxy integration. The rules are those of events recorded from AWS
 * (localstack/localstack, tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json):
 * - A trailing slash stays in `path`, and no route depends on it.
 * - `path` and path parameters stay percent-encoded. Query parameters are decoded once, with `+` as a space.
 * - Header names keep the client's case. Single-value maps have the last of several values.
 * - Headers that concern only the connection are left out.
 */
export function eventFor(
  request: GatewayRequest,
  { endpoint, pathParameters }: Route,
): APIGatewayProxyEvent {
  const headers = headersOf(request);
  const query = valuesByName(new URLSearchParams(request.query));
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
    requestContext: requestContext(request, endpoint, headers),
    // The API has no binary media types, so every body is passed on as text, with U+FFFD for bytes that are not UTF-8
    // (developer guide, "Content type conversions in API Gateway").
    body: request.body.length > 0 ? request.body.toString() : null,
    isBase64Encoded: false,
  };
}

function requestContext(
  request: GatewayRequest,
  endpoint: Endpoint,
  headers: MultiValues,
): APIGatewayProxyEvent['requestContext'] {
  const now = Date.now();
  return {
    accountId: '000000000000',
    apiId: 'local',
    authorizer: null,
    domainName: lastOf(headers, 'host') ?? '',
    domainPrefix: 'local',
    extendedRequestId: request.extendedRequestId,
    httpMethod: request.method,
    identity: {
      ...noIdentity,
      sourceIp: request.sourceIp,
      userAgent: lastOf(headers, 'user-agent') ?? null,
    },
    path: request.path,
    protocol: request.protocol,
    requestId: request.requestId,
    requestTime: requestTime(new Date(now)),
    requestTimeEpoch: now,
    resourceId: 'local',
    resourcePath: endpoint.path,
    stage,
  };
}

/** API Gateway sends every property of an identity that it does not know as null. */
const noIdentity = {
  accessKey: null,
  accountId: null,
  apiKey: null,
  apiKeyId: null,
  caller: null,
  clientCert: null,
  cognitoAuthenticationProvider: null,
  cognitoAuthenticationType: null,
  cognitoIdentityId: null,
  cognitoIdentityPoolId: null,
  principalOrgId: null,
  user: null,
  userArn: null,
};

type MultiValues = Record<string, string[]>;

const connectionHeaders = new Set([
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);
const forwardedHeaders = new Set(['x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto']);

function headersOf({ rawHeaders, sourceIp, requestId }: GatewayRequest): MultiValues {
  const nameInUse = new Map<string, string>();
  const headers: MultiValues = Object.create(null);
  const forwarded: MultiValues = Object.create(null);
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? '';
    const lowerCase = name.toLowerCase();
    const value = fromLatin1(rawHeaders[at + 1] ?? '');
    if (connectionHeaders.has(lowerCase)) continue;
    const into = forwardedHeaders.has(lowerCase) ? forwarded : headers;
    const known = into === forwarded ? lowerCase : (nameInUse.get(lowerCase) ?? name);
    nameInUse.set(lowerCase, known);
    into[known] = [...(into[known] ?? []), value];
  }
  // This listener stands in for the gateway's TLS endpoint: only a request with this header counts as plain HTTP.
  const plain =
    forwarded['x-forwarded-proto']?.some((proto) => proto.trim().toLowerCase() === 'http') ?? false;
  return {
    'X-Amzn-Trace-Id': [
      `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${requestId.replaceAll('-', '').slice(0, 24)}`,
    ],
    ...headers,
    'X-Forwarded-For': [[...(forwarded['x-forwarded-for'] ?? []), sourceIp].join(', ')],
    'X-Forwarded-Port': [plain ? '80' : '443'],
    'X-Forwarded-Proto': [plain ? 'http' : 'https'],
  };
}

/** Node.js decodes header bytes as Latin-1; the gateway passes them on as UTF-8 if they are valid UTF-8. */
function fromLatin1(value: string): string {
  if (!/[\u0080-\u00ff]/.test(value)) return value;
  const text = Buffer.from(value, 'latin1').toString('utf8');
  return text.includes('\ufffd') ? value : text;
}

function valuesByName(pairs: Iterable<[string, string]>): MultiValues | null {
  const values: MultiValues = Object.create(null);
  for (const [name, value] of pairs) values[name] = [...(values[name] ?? []), value];
  return Object.keys(values).length > 0 ? values : null;
}

const lastValues = (values: MultiValues): Record<string, string> =>
  Object.fromEntries(Object.entries(values).map(([name, all]) => [name, all.at(-1) ?? '']));

const lastOf = (headers: MultiValues, name: string): string | undefined =>
  Object.entries(headers)
    .find(([candidate]) => candidate.toLowerCase() === name)?.[1]
    .at(-1);

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
/** In the format of web server logs: 21/Nov/2026:10:00:00 +0000. */
function requestTime(time: Date): string {
  const day = String(time.getUTCDate()).padStart(2, '0');
  return `${day}/${months[time.getUTCMonth()]}/${time.getUTCFullYear()}:${time.toISOString().slice(11, 19)} +0000`;
}
