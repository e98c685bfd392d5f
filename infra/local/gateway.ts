import {
  createServer,
  type IncomingMessage,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { eventFor, newExtendedRequestId, requestIdOf, targetOf } from '../gateway/event.ts';
import { type Reply, replyFrom } from '../gateway/reply.ts';
import { type GatewayResponse, gatewayReply, gatewayResponses } from '../gateway/responses.ts';
import type { Router } from '../gateway/routes.ts';
import type { InvocationResult } from './functions.ts';
import { asksForRootPage, rootPage } from './root-page.ts';

export interface GatewayOptions {
  readonly route: Router;
  readonly invoke: (name: string, event: unknown, requestId: string) => Promise<InvocationResult>;
}

/** API Gateway's quota for REST APIs (developer guide, "Quotas"). */
const bodyMaxBytes = 10 * 1024 * 1024;
/**
 * The reply to a longer body: API Gateway refuses it before the request has an ID, and does not send REQUEST_TOO_LARGE, which is for bodies
 * that Lambda refuses (https://github.com/koki-develop/lgtm-generator/issues/10, https://github.com/reapit/foundations/issues/4338).
 */
const bodyTooLong: Reply = {
  status: 413,
  headers: [['Content-Type', 'text/plain; charset=utf-8']],
  body: `HTTP content length exceeded ${bodyMaxBytes} bytes.`,
};
/**
 * More than API Gateway's 10,240: leaves room for a `filter` of 8,000 characters, percent-encoded to three times its length, and for long
 * cookies.
 */
const headersMaxBytes = 256 * 1024;

/**
 * An HTTP server that replaces API Gateway's REST API, not yet listening. It sends the gateway responses of the deployed API
 * (gateway/responses.ts), and the one that no API can configure. At `/`, a browser gets a page. It logs nothing, because addresses and
 * headers may contain keys.
 */
export function createGateway(options: GatewayOptions): Server {
  const server = createServer({
    maxHeaderSize: headersMaxBytes,
    keepAliveTimeout: 65_000,
    headersTimeout: 70_000,
    // `answer` sends this error itself, with a body.
    requireHostHeader: false,
  });
  const serve = (request: IncomingMessage, response: ServerResponse): void => {
    const extendedRequestId = newExtendedRequestId();
    const requestId = requestIdOf(request);
    answer(request, { requestId, extendedRequestId }, options)
      .catch(() => ownReply(gatewayResponses.DEFAULT_5XX, extendedRequestId))
      .then((reply) => {
        if (reply !== bodyTooLong) {
          response.setHeader('x-amzn-RequestId', requestId);
          response.setHeader('x-amz-apigw-id', extendedRequestId);
        }
        send(response, reply);
      });
  };
  server.on('request', serve);
  server.on('checkExpectation', serve);
  server.on('connect', (_request: IncomingMessage, socket: Duplex) =>
    sendRaw(socket, gatewayResponses.MISSING_AUTHENTICATION_TOKEN),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
    else sendRaw(socket, gatewayResponses.DEFAULT_4XX);
  });
  return server;
}

async function answer(
  request: IncomingMessage,
  ids: { readonly requestId: string; readonly extendedRequestId: string },
  { route, invoke }: GatewayOptions,
): Promise<Reply> {
  const { method = '', rawHeaders, httpVersion, socket } = request;
  const own = (response: GatewayResponse): Reply => ownReply(response, ids.extendedRequestId);
  const { path, query } = targetOf(request);
  if (httpVersion === '1.1' && request.headers.host === undefined)
    return own(gatewayResponses.DEFAULT_4XX);
  if (asksForRootPage(request)) return rootPage;
  const found = route(method, path);
  if (!found) return own(gatewayResponses.MISSING_AUTHENTICATION_TOKEN);
  const body = await read(request);
  if (!body) return bodyTooLong;

  const sourceIp = socket.remoteAddress ?? '127.0.0.1';
  const protocol = `HTTP/${httpVersion}`;
  const event = eventFor(
    { method, path, query, rawHeaders, body, sourceIp, protocol, ...ids },
    found,
  );
  const result = await invoke(found.endpoint.name, event, ids.extendedRequestId);
  if ('reason' in result) return own(gatewayResponses[result.response]);
  return replyFrom(result.returned) ?? own(gatewayResponses.INTEGRATION_FAILURE);
}

/** The whole body; undefined if it is longer than the gateway accepts. */
async function read(request: IncomingMessage): Promise<Buffer | undefined> {
  if (Number(request.headers['content-length'] ?? 0) > bodyMaxBytes) return undefined;
  const chunks: Buffer[] = [];
  let bytes = 0;
  // Destroying the request would also close the connection before the response is sent.
  const received: AsyncIterable<Buffer> = request.iterator({ destroyOnReturn: false });
  for await (const chunk of received) {
    bytes += chunk.length;
    if (bytes > bodyMaxBytes) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** A response that the gateway sends without a function. */
function ownReply(response: GatewayResponse, requestId: string): Reply {
  const { status, headers, body } = gatewayReply(response);
  return { status, headers: Object.entries({ ...headers, 'X-Request-Id': requestId }), body };
}

function send(response: ServerResponse, { status, headers, body }: Reply): void {
  const { req: request } = response;
  response.statusCode = status;
  for (const [name, value] of headers) response.appendHeader(name, value);
  response.end(body);
  if (request.complete) return;
  // The body was not read to its end. Lets the client finish sending it, so that it receives the response instead of a reset. With
  // `Connection: close`, the server would close the connection after the response.
  request.resume();
  setTimeout(() => request.socket.destroy(), 5000).unref();
}

/** Responds on a connection whose request could not be parsed. */
function sendRaw(socket: Duplex, response: GatewayResponse): void {
  const { status, headers, body } = ownReply(response, newExtendedRequestId());
  const lines = headers.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  const end = `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close`;
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines}${end}\r\n\r\n${body}`);
}
