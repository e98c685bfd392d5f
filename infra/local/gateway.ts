import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import {
  eventFor,
  type GatewayRequest,
  newExtendedRequestId,
  requestIdOf,
  targetOf,
} from '../gateway/event.ts';
import { type InvocationResult, type Reply, replyFrom } from '../gateway/reply.ts';
import {
  type GatewayResponseType,
  gatewayResponseBody,
  gatewayResponseHeaders,
  gatewayResponses,
} from '../gateway/responses.ts';
import type { Router } from '../gateway/routes.ts';

export interface GatewayOptions {
  readonly route: Router;
  readonly invoke: (name: string, event: unknown, requestId: string) => Promise<InvocationResult>;
  /** Whether to refuse a request line and headers that API Gateway would refuse as too long. */
  readonly gatewayLimits: boolean;
}

type RequestIds = Pick<GatewayRequest, 'requestId' | 'extendedRequestId'>;

/** API Gateway's quotas for REST APIs (developer guide, "Quotas"). */
const bodyMaxBytes = 10 * 1024 * 1024;
const headersMaxBytes = 10_240;
/** Without `gatewayLimits`: room for a `filter` of 8,000 characters, percent-encoded to three times that, and for long cookies. */
const headersMaxBytesUnlimited = 256 * 1024;
const tooLongMessage = `The request line and the headers are longer than the ${headersMaxBytes} bytes that API Gateway accepts: shorten the query string or the headers.`;

/**
 * An HTTP server that stands in for API Gateway's REST API. It sends the same responses of its own as the deployed API
 * (gateway-responses.ts). Not yet listening. Logs nothing: addresses and headers may contain keys.
 */
export function createGateway(options: GatewayOptions): Server {
  const server = createServer({
    maxHeaderSize: headersMaxBytesUnlimited,
    keepAliveTimeout: 65_000,
    headersTimeout: 70_000,
    // `respond` sends this error itself, with a body.
    requireHostHeader: false,
  });
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const ids = { requestId: requestIdOf(request), extendedRequestId: newExtendedRequestId() };
    respond(request, ids, options)
      .catch((): Reply => gatewayReply('DEFAULT_5XX', ids.extendedRequestId))
      .then((reply) => send(response, ids, reply));
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    sendRaw(socket, 'MISSING_AUTHENTICATION_TOKEN'),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else sendRaw(socket, 'DEFAULT_4XX');
  });
  return server;
}

async function respond(
  request: IncomingMessage,
  ids: RequestIds,
  options: GatewayOptions,
): Promise<Reply> {
  const { extendedRequestId } = ids;
  const method = request.method ?? '';
  const { path, query } = targetOf(request);
  if (options.gatewayLimits && headBytes(request) > headersMaxBytes) {
    return gatewayReply('BAD_REQUEST_PARAMETERS', extendedRequestId, tooLongMessage);
  }
  if (request.httpVersion === '1.1' && request.headers.host === undefined)
    return gatewayReply('DEFAULT_4XX', extendedRequestId);
  const route = options.route(method, path);
  if (!route) return gatewayReply('MISSING_AUTHENTICATION_TOKEN', extendedRequestId);
  const body = await read(request);
  if (!body) return gatewayReply('REQUEST_TOO_LARGE', extendedRequestId);

  const { rawHeaders, httpVersion, socket } = request;
  const connection = {
    sourceIp: socket.remoteAddress ?? '127.0.0.1',
    protocol: `HTTP/${httpVersion}`,
  };
  const event = eventFor({ method, path, query, rawHeaders, body, ...ids, ...connection }, route);
  return replyOf(
    await options.invoke(route.endpoint.name, event, extendedRequestId),
    extendedRequestId,
  );
}

function replyOf(result: InvocationResult, requestId: string): Reply {
  switch (result.outcome) {
    case 'returned':
      return replyFrom(result.response) ?? gatewayReply('INTEGRATION_FAILURE', requestId);
    case 'event-too-large':
      return gatewayReply('REQUEST_TOO_LARGE', requestId);
    case 'timed-out':
      return gatewayReply('INTEGRATION_TIMEOUT', requestId);
    case 'failed':
      return gatewayReply('INTEGRATION_FAILURE', requestId);
  }
}

/** The whole body; undefined if it is longer than the gateway accepts. */
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > bodyMaxBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Destroying the request would also close the connection, before the response is sent.
  const received: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of received) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** The bytes of the request line and the headers, including their separators. */
function headBytes({ method = '', url = '', httpVersion, rawHeaders }: IncomingMessage): number {
  const requestLine = `${method} ${url} HTTP/${httpVersion}\r\n`.length;
  return rawHeaders.reduce((bytes, part) => bytes + part.length + 2, requestLine);
}

/** A response that the gateway sends without a function. */
function gatewayReply(type: GatewayResponseType, requestId: string, message?: string): Reply {
  const response = gatewayResponses[type];
  const headers = Object.entries({
    ...gatewayResponseHeaders(response),
    'X-Request-Id': requestId,
  });
  return {
    status: response.status,
    headers,
    body: gatewayResponseBody(message ? { ...response, message } : response),
  };
}

function send(response: ServerResponse, ids: RequestIds, { status, headers, body }: Reply): void {
  const { req: request } = response;
  const names = new Map<string, { name: string; values: string[] }>();
  const added = [
    ['x-amzn-RequestId', ids.requestId],
    ['x-amz-apigw-id', ids.extendedRequestId],
  ] as const;
  for (const [name, value] of [...headers, ...added]) {
    const known = names.get(name.toLowerCase());
    if (known) known.values.push(value);
    else names.set(name.toLowerCase(), { name, values: [value] });
  }
  for (const { name, values } of names.values())
    response.setHeader(name, values.length === 1 ? (values[0] ?? '') : values);
  response.statusCode = status;
  if (request.complete) {
    response.end(body);
    return;
  }
  // The body was not read to its end. Let the client finish sending it, so that the client gets the response and not a reset. With
  // `Connection: close`, the server would close the connection after the response.
  response.end(body);
  request.resume();
  setTimeout(() => request.socket.destroy(), 5000).unref();
}

/** Responds on a connection without a readable request. */
function sendRaw(socket: Duplex, type: GatewayResponseType): void {
  const { status, headers, body } = gatewayReply(type, newExtendedRequestId());
  const lines = [
    ...headers,
    ['Content-Length', String(Buffer.byteLength(body))],
    ['Connection', 'close'],
  ];
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${head}\r\n${body}`);
}
