import type { LeadListQuery } from '../contract/types.ts';
import {
  type ApiErrors,
  type ErrorCode,
  LeadServiceError,
  mayPass,
  NoResponseError,
  retryAfterMsOf,
  UnexpectedResponseError,
} from './errors.ts';

export interface LeadClientOptions {
  /** The address of the service, such as `https://leads.example.com`. */
  readonly baseUrl: string;
  /** The API key, or a function that returns it, so that a key can be replaced while the program runs. */
  readonly apiKey: string | (() => string | Promise<string>);
  /** The time for one attempt. @default 15000 */
  readonly timeoutMs?: number;
  /**
   * The maximum number of attempts, including the first. A request is retried after a lost response, 429, 500, 503 and 409
   * `IDEMPOTENCY_IN_PROGRESS`, with random delays. @default 5
   */
  readonly attempts?: number;
  /**
   * The longest wait before a retry. If `Retry-After` asks for a longer wait, as the rate limit can, the call throws at once.
   * @default 60000
   */
  readonly maxWaitMs?: number;
  /** @default the global `fetch` */
  readonly fetch?: typeof fetch;
}

export interface CallOptions {
  /** Aborts the call, including its retries. The call then throws the signal's reason. */
  readonly signal?: AbortSignal;
  /** @default the client's own */
  readonly attempts?: number;
}

/** The method and the path, such as `GET /api/v1/users`. */
export type Route = `${'GET' | 'POST' | 'PATCH'} /api/v1/${string}`;

/** A request of the client. All its attempts are identical, except for the API key. */
export interface Call extends CallOptions {
  readonly query?: LeadListQuery | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  /**
   * Whether the request may be repeated if the service may already have carried it out. True for reads, captures (by their idempotency
   * key), creates (a phone is unique) and updates. A note would be added twice. @default true
   */
  readonly isRepeatable?: boolean;
}

/** A successful response, with its body parsed. */
export interface HttpResponse<Body> {
  readonly headers: Headers;
  readonly body: Body;
}

const firstDelayMs = 500;
const delayMaxMs = 30_000;
/** The longest timer: with more milliseconds, it would fire at once or be refused. */
const timerMaxMs = 2_147_483_647;

/** Sends requests, and retries them. */
export class Connection {
  readonly #options: Required<LeadClientOptions>;

  constructor(options: LeadClientOptions) {
    if (!options.apiKey)
      throw new TypeError('apiKey is missing: a key of the service, or a function.');
    this.#options = {
      baseUrl: checkedBaseUrl(options.baseUrl),
      apiKey: options.apiKey,
      timeoutMs: options.timeoutMs ?? 15_000,
      attempts: options.attempts ?? 5,
      maxWaitMs: options.maxWaitMs ?? 60_000,
      fetch: options.fetch ?? ((...request) => fetch(...request)),
    };
  }

  /**
   * Sends a request, and retries until it succeeds or a retry would not help.
   * @throws LeadServiceError, UnexpectedResponseError or NoResponseError of the last attempt; the signal's reason if the caller aborts
   */
  async send<Body>(route: Route, call: Call): Promise<HttpResponse<Body>> {
    const { maxWaitMs } = this.#options;
    const { attempts = this.#options.attempts, isRepeatable = true, signal } = call;
    let afterUnknownOutcome = false;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await this.#sendOnce(route, call);
      } catch (error) {
        if (error instanceof LeadServiceError) error.afterUnknownOutcome = afterUnknownOutcome;
        if (attempt >= attempts || !mayPass(error)) throw error;
        const isUnknown = !isSurelyUndone(error);
        if (isUnknown && !isRepeatable) throw error;
        afterUnknownOutcome ||= isUnknown;
        // The random delay keeps clients that were refused together from retrying together.
        const delayMs = Math.random() * Math.min(delayMaxMs, firstDelayMs * 2 ** (attempt - 1));
        const waitMs = retryAfterMsOf(error) + delayMs;
        if (waitMs > maxWaitMs) throw error;
        await sleep(waitMs, signal);
      }
    }
  }

  async #sendOnce<Body>(route: Route, call: Call): Promise<HttpResponse<Body>> {
    const { text, ...response } = await this.#exchange(route, call);
    const { status, headers } = response;
    const body = parsed(text);
    if (status >= 200 && status < 300 && body !== undefined) return { headers, body: body as Body };
    const error = (body as Partial<ErrorBody> | null | undefined)?.error;
    if (typeof error?.code === 'string') throw new LeadServiceError(error, response);
    throw new UnexpectedResponseError(response);
  }

  /** Sends once, and waits for the whole response within the time-out. */
  async #exchange(
    route: Route,
    { query, body, headers, signal }: Call,
  ): Promise<{ status: number; headers: Headers; text: string }> {
    const { baseUrl, apiKey, fetch, timeoutMs } = this.#options;
    const [method = '', path = ''] = route.split(' ');
    const key = typeof apiKey === 'string' ? apiKey : await apiKey();
    signal?.throwIfAborted();
    const late = AbortSignal.timeout(Math.min(Math.ceil(timeoutMs), timerMaxMs));
    try {
      const response = await fetch(baseUrl + path + queryText(query), {
        method,
        headers: {
          Authorization: `Bearer ${key}`,
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: jsonText(body) }),
        redirect: 'manual', // a redirect could send the key to another address
        signal: AbortSignal.any(signal ? [signal, late] : [late]),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    } catch (cause) {
      signal?.throwIfAborted();
      const message = late.aborted
        ? `No response within ${timeoutMs} ms.`
        : 'The connection failed.';
      throw new NoResponseError(message, { isTimeout: late.aborted, cause });
    }
  }
}

/** Resolves after `ms`. Rejects with the signal's reason as soon as the signal aborts. */
export const sleep = (ms: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason);
    const onAbort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', onAbort, { once: true });
  });

function checkedBaseUrl(baseUrl: string): string {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  const isLocal = url && /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(url.hostname);
  const isSecure = url?.protocol === 'https:' || (url?.protocol === 'http:' && isLocal);
  if (!url || !isSecure || url.search || url.hash || url.username)
    throw new TypeError(
      'baseUrl must be an https address without a query, such as https://leads.example.com (http only on this machine).',
    );
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** The query string. A list becomes JSON inside it. */
function queryText(query: LeadListQuery = {}): string {
  const texts = Object.entries(query)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]): [string, string] => [
      name,
      Array.isArray(value) ? JSON.stringify(value) : String(value),
    ]);
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`;
}

/**
 * A body as JSON. The service refuses a raw U+FFFD, because it is the trace of a wrong encoding. Here the text is already decoded, so the
 * character is the visitor's own, and is sent as an escape.
 */
const jsonText = (value: unknown): string => JSON.stringify(value).replaceAll('\ufffd', '\\ufffd');

/** The shape that all errors of the service have. */
interface ErrorBody {
  readonly error: { code: ErrorCode; message: string; details: ApiErrors[ErrorCode] };
}

/** Undefined for text that is not JSON. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Whether the service certainly did not carry out the request, by its own response. */
const isSurelyUndone = (error: unknown): boolean =>
  error instanceof LeadServiceError && (error.status < 500 || error.code === 'NOT_READY');

export const isoTime = (ms: number): string => new Date(ms).toISOString();
