import { randomBytes, randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Endpoint } from '../../shared/contract/endpoints.ts';
import type { Route } from './routes.ts';

/** The parts of a request that the event is made from. */
export interface GatewayRequest {
  readonly method: string;
  /** The path without the query string, percent-encoded as the client sent it. */
  readonly path: string;
  readonly query: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly protocol: string;
  /** A UUID, or the ID that the caller sent (`requestIdOf`). */
  readonly requestId: string;
  readonly extendedRequestId: string;
}

/**
 * The ID that API Gateway returns in X-Amzn-RequestId. A caller can choose it by sending one
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
    requestContext: requestContext(request, endpoint, headers),
    // The API has no binary media types, so every body is passed on as text. Bytes that are not UTF-8 become U+FFFD (developer guide,
    // "Content type conversions in API Gateway").
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
    stage: 'local', // not part of the address, as with a custom domain
  };
}

/** API Gateway sends null for every property of an identity that it does not know. */
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

const connectionHeaders = [
  'connection',
  'content-length',
  'expect',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
];
const forwardedHeaders = ['x-forwarded-for', 'x-forwarded-port', 'x-forwarded-proto'];
const notPassedOn = new Set([...connectionHeaders, ...forwardedHeaders]);

function headersOf({ rawHeaders, sourceIp, requestId }: GatewayRequest): MultiValues {
  const sent = rawHeaders.flatMap((name, at) =>
    at % 2 === 0
      ? [{ name, lowerCase: name.toLowerCase(), value: fromLatin1(rawHeaders[at + 1] ?? '') }]
      : [],
  );
  const valuesOf = (name: string): string[] =>
    sent.flatMap(({ lowerCase, value }) => (lowerCase === name ? [value] : []));
  const passedOn = Map.groupBy(
    sent.filter(({ lowerCase }) => !notPassedOn.has(lowerCase)),
    ({ lowerCase }) => lowerCase,
  );
  // This listener replaces the gateway's TLS endpoint, so only a request with this header counts as plain HTTP.
  const isPlain = valuesOf('x-forwarded-proto').some(
    (proto) => proto.trim().toLowerCase() === 'http',
  );
  return {
    'X-Amzn-Trace-Id': [
      `Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${requestId.replaceAll('-', '').slice(0, 24)}`,
    ],
    ...Object.fromEntries(
      [...passedOn.values()].map((same) => [same[0]?.name, same.map(({ value }) => value)]),
    ),
    'X-Forwarded-For': [[...valuesOf('x-forwarded-for'), sourceIp].join(', ')],
    'X-Forwarded-Port': [isPlain ? '80' : '443'],
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

const lastOf = (headers: MultiValues, name: string): string | undefined =>
  Object.entries(headers)
    .find(([candidate]) => candidate.toLowerCase() === name)?.[1]
    .at(-1);

/** In the format of web server logs: 21/Nov/2026:10:00:00 +0000. */
function requestTime(time: Date): string {
  const [, day, month, year, clock] = time.toUTCString().split(' ');
  return `${day}/${month}/${year}:${clock} +0000`;
}
