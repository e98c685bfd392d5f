import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request as it is sent: `fetch` would normalize its target, and join or refuse some of its headers. */
export interface SentRequest {
  readonly method: string;
  readonly target: string;
  /** In order, a name as often as it is sent. `Host`, `Connection: close` and the length of a body are added. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array | undefined;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A service on a slow machine still answers within this. */
const answerWithinMs = 25_000;

/** Sends a request on a connection of its own. @throws Error when no whole answer comes in 25 s */
export async function send(
  baseUrl: string,
  { method, target, headers, body }: SentRequest,
): Promise<Answer> {
  const { host, hostname, port } = new URL(baseUrl);
  const length = body === undefined ? [] : ['Content-Length', String(Buffer.byteLength(body))];
  const sent = request({
    hostname,
    port,
    method,
    path: target,
    headers: ['Host', host, ...headers.flat(), ...length],
    agent: false,
    signal: AbortSignal.timeout(answerWithinMs),
  });
  sent.end(body);
  const [response]: IncomingMessage[] = await once(sent, 'response');
  if (!response) throw new Error('There is no answer.');
  sent.on('error', () => undefined); // an answer that breaks off fails where it is read
  const values = Object.entries(response.headers).map(([name, value]) => [name, String(value)]);
  return {
    status: response.statusCode ?? 0,
    headers: new Headers(Object.fromEntries(values)),
    text: await text(response),
  };
}
