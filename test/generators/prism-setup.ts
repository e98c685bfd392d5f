import { appendFileSync } from 'node:fs';
import { routerFor } from '../../infra/gateway/routes.ts';
import { endpoints } from '../../shared/endpoints.ts';
import { limits } from '../../shared/limits.ts';

/** Sends the requests of a test file through prism, and records what it finds: for the file that prism.vitest.config.ts configures. */

export interface PrismExchange {
  /** Method and path, without an ID. */
  readonly request: string;
  readonly isThrough: boolean;
  readonly status: number;
  readonly findings: readonly string[];
}

const { PRISM_URL = '', PRISM_EXCHANGES_FILE = '', VERIFIED_BASE_URL = '' } = process.env;
const route = routerFor(endpoints);
const send = globalThis.fetch;

/** What prism changes or cannot read on its way through. Such a request goes straight to the service. */
const obstacles: Readonly<Record<string, (url: URL, sent: Sent) => boolean>> = {
  'the document has no such address': ({ pathname }, { method }) => !route(method, pathname),
  'prism ends at an address that is not UTF-8': ({ pathname, search }) =>
    !succeeds(() => decodeURIComponent(pathname + search)),
  'prism drops this parameter': ({ searchParams }) => searchParams.has('__proto__'),
  'prism reads JSON objects only': (_, { type, text }) =>
    text !== undefined && !(/^application\/json *(;|$)/i.test(type) && isJsonObject(text)),
  'the service does not read such a body to its end': (_, { text = '' }) =>
    Buffer.byteLength(text) > limits.bodyMaxBytes,
  'prism writes the body anew, without escapes': (_, { text = '' }) => /\\ufffd/i.test(text),
};

interface Sent {
  readonly method: string;
  readonly type: string;
  /** The body; empty for one that is not a string. */
  readonly text: string | undefined;
}

function canPass(url: URL, { method = 'GET', headers, body }: RequestInit): boolean {
  const type = new Headers(headers).get('Content-Type') ?? '';
  const text = typeof body === 'string' ? body : body && '';
  const sent: Sent = { method, type, text: text ?? undefined };
  return !Object.values(obstacles).some((applies) => applies(url, sent));
}

const isJsonObject = (text: string): boolean =>
  /^\s*[{[]/.test(text) && succeeds(() => JSON.parse(text));

function succeeds(run: () => unknown): boolean {
  try {
    run();
    return true;
  } catch {
    return false;
  }
}

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

globalThis.fetch = async (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  if (url.origin !== VERIFIED_BASE_URL || input instanceof Request) return send(input, init);
  const isThrough = canPass(url, init);
  const headers = new Headers(init.headers);
  // Prism ends idle connections after 5 seconds, maybe while a request is on its way.
  headers.set('Connection', 'close');
  const response = isThrough
    ? await send(`${PRISM_URL}${url.pathname}${url.search}`, { ...init, headers })
    : await send(input, init);
  const violations = JSON.parse(response.headers.get('sl-violations') ?? '[]') as Violation[];
  const exchange: PrismExchange = {
    request: `${init.method ?? 'GET'} ${url.pathname.replace(/\/\d+/, '/{leadId}')}`,
    isThrough,
    status: response.status,
    findings: violations.map(({ location, message }) => `${location.join('.')}: ${message}`),
  };
  appendFileSync(PRISM_EXCHANGES_FILE, `${JSON.stringify(exchange)}\n`);
  return response;
};
