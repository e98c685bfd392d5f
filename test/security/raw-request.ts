import { connect } from 'node:net';
import { service } from '../support/service.ts';

/** A request as its bytes go over the wire: nothing is normalized, joined, escaped or refused on the way, as a client library would. */
export interface RawRequest {
  readonly method: string;
  /** The request target as it is sent; bytes above 0x7f as Latin-1. */
  readonly target: string;
  /** In order, a name as often as it is sent. `Host` and `Connection: close` are added, and the length of a body unless one is given. */
  readonly headers: readonly (readonly [string, string])[];
  readonly body?: string | Uint8Array | undefined;
}

export interface RawReply {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** A service on a slow machine still answers within this. */
const answerWithinMs = 25_000;

/**
 * Sends a request on a connection of its own.
 * @throws Error when the connection ends without an answer, or none comes in 25 s
 */
export async function sendRaw(baseUrl: string, request: RawRequest): Promise<RawReply> {
  const { hostname, port } = new URL(baseUrl);
  const bytes = bytesOf(request, `${hostname}:${port}`);
  return answerOf(await exchange(hostname, Number(port), bytes), request.method);
}

function bytesOf({ method, target, headers, body }: RawRequest, host: string): Buffer {
  const content = body === undefined ? undefined : Buffer.from(body);
  const hasOwnLength = headers.some(([name]) => /^(content-length|transfer-encoding)$/i.test(name));
  const all = [
    ['Host', host],
    ...headers,
    ...(content && !hasOwnLength ? [['Content-Length', String(content.byteLength)]] : []),
    ['Connection', 'close'],
  ];
  const head = [
    `${method} ${target} HTTP/1.1`,
    ...all.map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');
  return Buffer.concat([Buffer.from(head, 'latin1'), content ?? Buffer.alloc(0)]);
}

function exchange(hostname: string, port: number, bytes: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    const socket = connect(port, hostname);
    const end = (failure?: Error): void => {
      socket.destroy();
      if (chunks.length > 0) resolve(Buffer.concat(chunks));
      else reject(failure ?? new Error('The connection ended without an answer.'));
    };
    socket.setTimeout(answerWithinMs, () =>
      end(new Error(`No answer within ${answerWithinMs / 1000} s.`)),
    );
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.on('error', end);
    socket.on('close', () => end());
    socket.write(bytes);
  });
}

/** Reads the one answer of a connection. The service sends a length with each, and never pieces. */
function answerOf(all: Buffer, method: string): RawReply {
  const bytes = withoutInterim(all);
  const end = bytes.indexOf('\r\n\r\n');
  const [statusLine = '', ...lines] = bytes.subarray(0, end).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine)?.[1]);
  if (end < 0 || !status)
    throw new Error(
      `What came back is no answer: ${JSON.stringify(bytes.toString('latin1').slice(0, 200))}.`,
    );
  const headers = new Headers(
    lines.map((line): [string, string] => [
      line.slice(0, line.indexOf(':')),
      line.slice(line.indexOf(':') + 1).trim(),
    ]),
  );
  const body = bytes.subarray(end + 4);
  const isBare = method === 'HEAD' && body.byteLength === 0;
  if (!isBare && body.byteLength !== Number(headers.get('content-length'))) {
    throw new Error(
      `The answer announces ${headers.get('content-length')} bytes and has ${body.byteLength}.`,
    );
  }
  return { status, headers, text: body.toString() };
}

/** Without a `100 Continue` before the answer. */
function withoutInterim(bytes: Buffer): Buffer {
  return /^HTTP\/1\.1 1\d\d /.test(bytes.toString('latin1', 0, 13))
    ? bytes.subarray(bytes.indexOf('\r\n\r\n') + 4)
    : bytes;
}

/** Sends a request to the service as bytes. */
export async function send(
  request: Partial<RawRequest>,
): Promise<{ status: number; code: string | undefined; body: Record<string, unknown> }> {
  const { status, text } = await sendRaw(service().baseUrl, {
    method: 'GET',
    target: '/api/v1/users',
    headers: [],
    ...request,
  });
  const body = JSON.parse(text) as Record<string, unknown>;
  return { status, code: (body.error as { code?: string } | undefined)?.code, body };
}
