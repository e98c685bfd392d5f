import type { IncomingMessage } from 'node:http';
import type { APIGatewayProxyEvent } from 'aws-lambda';
import type { Route } from './routes.ts';

/** The stage's name in `requestContext`. The address has no stage in it, as behind a custom domain. */
export const stage = 'local';

/** A request as the event needs it. */
export interface GatewayRequest {
  readonly method: string;
  /** Without the query string, percent-encoded as the client sent it. */
  readonly path: string;
  readonly query: string;
  readonly rawHeaders: readonly string[];
  readonly body: Buffer;
  readonly sourceIp: string;
  readonly protocol: string;
  readonly requestId: string;
}

/** Splits the request target, which may be a whole address. */
export function targetOf({ url = '/' }: Pick<IncomingMessage, 'url'>): { path: string; query: string } {
  const target = url.replace(/^https?:\/\/[^/?#]*/i, '');
  const at = target.indexOf('?');
  const path = at < 0 ? target : target.slice(0, at);
  return { path: path || '/', query: at < 0 ? '' : target.slice(at + 1) };
}

/**
 * The event that API Gateway's REST API gives a Lambda proxy integration. Held to events recorded from AWS (localstack/localstack,
 * tests/aws/services/apigateway/test_apigateway_lambda.snapshot.json): a trailing slash stays in `path` and matters to no route;
 * `path` and path parameters stay percent-encoded; query parameters are decoded once, with `+` as a space; header names keep
 * the client's case; of several values the single-value maps hold the last; what concerns the connection alone is left out.
 */
export function eventFor(request: GatewayRequest, { endpoint, pathParameters }: Route): APIGatewayProxyEvent {
  const headers = headersOf(request);
  const query = valuesByName(new URLSearchParams(request.query));
  const now = Date.now();
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
      accountId: '000000000000',
      apiId: 'local',
      authorizer: null,
      domainName: lastOf(headers, 'host') ?? '',
      domainPrefix: 'local',
      extendedRequestId: request.requestId,
      httpMethod: request.method,
      identity: {
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
        sourceIp: request.sourceIp,
        user: null,
        userAgent: lastOf(headers, 'user-agent') ?? null,
        userArn: null,
      },
      path: request.path,
      protocol: request.protocol,
      requestId: request.requestId,
      requestTime: requestTime(new Date(now)),
      requestTimeEpoch: now,
      resourceId: 'local',
      resourcePath: endpoint.path,
      stage,
    },
    // The API has no binary media types, so every body is handed on as text, bytes that are not UTF-8 as U+FFFD
    // (developer guide, "Content type conversions in API Gateway").
    body: request.body.length > 0 ? request.body.toString() : null,
    isBase64Encoded: false,
  };
}

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
  // This listener stands for the gateway's TLS end: only a request that says so itself came over plain HTTP.
  const plain = forwarded['x-forwarded-proto']?.some((proto) => proto.trim().toLowerCase() === 'http') ?? false;
  return {
    'X-Amzn-Trace-Id': [`Root=1-${Math.floor(Date.now() / 1000).toString(16)}-${requestId.replaceAll('-', '').slice(0, 24)}`],
    ...headers,
    'X-Forwarded-For': [[...(forwarded['x-forwarded-for'] ?? []), sourceIp].join(', ')],
    'X-Forwarded-Port': [plain ? '80' : '443'],
    'X-Forwarded-Proto': [plain ? 'http' : 'https'],
  };
}

/** Node reads header bytes as Latin-1; the gateway hands on what they mean as UTF-8, where they are that. */
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
/** As the access logs of web servers write it: 21/Nov/2026:10:00:00 +0000. */
function requestTime(time: Date): string {
  const day = String(time.getUTCDate()).padStart(2, '0');
  return `${day}/${months[time.getUTCMonth()]}/${time.getUTCFullYear()}:${time.toISOString().slice(11, 19)} +0000`;
}
