import {
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { request as httpsRequest } from 'node:https';

/** A request as a check sends it. */
export interface HttpCall {
  readonly method: string;
  /** With the query string; the base URL comes before it. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface HttpReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON; undefined if it is not JSON. */
  readonly json: unknown;
}

/** A gateway waits 29 s for a function. */
const replyWithinMs = 35_000;

/**
 * Sends a request and returns whatever comes back. Follows no redirect. A reply may come before the whole body is sent.
 * @throws Error of Node.js when nothing comes back
 */
export async function sendCall(
  baseUrl: string,
  { method, path, headers = {}, body }: HttpCall,
  withinMs = replyWithinMs,
): Promise<HttpReply> {
  const { protocol, hostname, port, pathname } = new URL(baseUrl);
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  const length = body === undefined ? {} : { 'Content-Length': String(Buffer.byteLength(body)) };
  const { promise, resolve, reject } = Promise.withResolvers<HttpReply>();
  const request = send(
    {
      method,
      hostname: hostname.replace(/^\[|\]$/g, ''),
      port,
      path: `${pathname.replace(/\/$/, '')}${path}`,
      headers: { ...length, ...headers },
      signal: AbortSignal.timeout(withinMs),
    },
    (response) => void replyOf(response).then(resolve, reject),
  );
  request.on('error', reject);
  const rest = sendBody(request, body);
  try {
    return await promise;
  } finally {
    clearTimeout(rest);
    if (rest) request.destroy();
  }
}

const firstPartBytes = 65_536;
/** A gateway that refuses a length answers at once. */
const restAfterMs = 2000;

/**
 * Sends a body. Of a large one it sends the first part and waits: a gateway that refuses the length closes the connection after its reply,
 * and a write to a closed connection would lose the reply.
 * @returns the timer of the rest
 */
function sendBody(request: ClientRequest, body: HttpCall['body']): NodeJS.Timeout | undefined {
  const bytes = Buffer.from(body ?? '');
  if (bytes.length <= firstPartBytes * 2) {
    request.end(bytes);
    return undefined;
  }
  request.write(bytes.subarray(0, firstPartBytes));
  return setTimeout(() => request.end(bytes.subarray(firstPartBytes)), restAfterMs);
}

async function replyOf(response: IncomingMessage): Promise<HttpReply> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  return { status: response.statusCode ?? 0, headers: response.headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
