import type { ApiErrors, ErrorCode } from './api-errors.ts';
import type { Clock } from './clock.ts';
import { LeadServiceError, NoResponseError, UnexpectedResponseError } from './errors.ts';

/** One HTTP request of the client. */
export interface HttpRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | undefined;
  readonly signal: AbortSignal | undefined;
}

/** A successful response, with its body parsed. */
export interface HttpResponse<Body> {
  readonly headers: Headers;
  readonly body: Body;
}

export interface Connection {
  readonly fetch: typeof fetch;
  readonly clock: Clock;
  readonly timeoutMs: number;
  /** Called with the headers of every response. */
  readonly observe: (headers: Headers) => void;
}

/**
 * Sends a request once, and waits for the whole response within the time-out.
 * @throws LeadServiceError, UnexpectedResponseError, NoResponseError; the caller's own reason if its signal aborts
 */
export async function sendOnce<Body>(
  connection: Connection,
  request: HttpRequest,
): Promise<HttpResponse<Body>> {
  const { text, ...response } = await exchange(connection, request);
  const { status, headers } = response;
  connection.observe(headers);
  const body = parsed(text);
  if (status >= 200 && status < 300 && body !== undefined) return { headers, body: body as Body };
  const error = serviceErrorIn(body);
  throw error ? new LeadServiceError(error, response) : new UnexpectedResponseError(response);
}

async function exchange(
  { fetch, clock, timeoutMs }: Connection,
  { url, signal, body, ...init }: HttpRequest,
): Promise<{ status: number; headers: Headers; text: string }> {
  signal?.throwIfAborted();
  const late = new AbortController();
  const done = new AbortController();
  clock.sleep(timeoutMs, done.signal).then(
    () => late.abort(),
    () => {}, // the response was there first
  );
  try {
    const response = await fetch(url, {
      ...init,
      ...(body !== undefined && { body }),
      redirect: 'manual', // a redirect could take the key to another address
      signal: AbortSignal.any(signal ? [signal, late.signal] : [late.signal]),
    });
    return { status: response.status, headers: response.headers, text: await response.text() };
  } catch (cause) {
    signal?.throwIfAborted();
    const isTimeout = late.signal.aborted;
    const message = isTimeout ? `No response within ${timeoutMs} ms.` : 'The connection failed.';
    throw new NoResponseError(message, { isTimeout, cause });
  } finally {
    done.abort();
  }
}

/** Undefined for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** The error in a body, if it has the shape that all errors of the service have. */
function serviceErrorIn(
  body: unknown,
): { code: ErrorCode; message: string; details: ApiErrors[ErrorCode] } | undefined {
  const error = isObject(body) ? body.error : undefined;
  if (!isObject(error) || typeof error.code !== 'string') return undefined;
  return {
    code: error.code as ErrorCode,
    message: String(error.message),
    details: error.details as ApiErrors[ErrorCode],
  };
}
