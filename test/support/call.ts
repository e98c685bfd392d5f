import { TestRunner } from 'vitest';
import { parseJson } from '../../shared/base/json.ts';
import { type EndpointName, endpointNamed } from '../../shared/contract/endpoints.ts';
import { parseApiKey } from '../../shared/organization/api-key.ts';
import { idempotencyPrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { assertDescribed } from './described.ts';
import { service } from './service.ts';

export interface CallOptions {
  readonly apiKey?: string | undefined;
  /** Sent as JSON; a string is sent as it is. */
  readonly body?: unknown;
  readonly leadId?: number | string;
  readonly query?: Readonly<Record<string, string | number>> | string;
  readonly headers?: Readonly<Record<string, string>>;
  /** A service other than the test run's own. */
  readonly baseUrl?: string;
}

/** Parsed JSON. */
// biome-ignore lint/suspicious/noExplicitAny: a test reads the properties it expects, and fails if one is missing
export type ReadJson = any;

export interface CallReply {
  readonly status: number;
  readonly headers: Headers;
  readonly body: ReadJson;
}

/**
 * Calls an endpoint over HTTP, as a customer's server would.
 * @throws Error when `openapi.json` does not describe the reply
 */
export async function call(
  name: EndpointName,
  { apiKey, body, leadId, query, headers = {}, baseUrl = service().baseUrl }: CallOptions = {},
): Promise<CallReply> {
  const { method, path } = endpointNamed(name);
  const search =
    typeof query === 'string'
      ? query
      : new URLSearchParams(
          Object.entries(query ?? {}).map(([one, value]): [string, string] => [one, String(value)]),
        ).toString();
  const url = `${baseUrl}${path.replace('{leadId}', String(leadId))}${search && `?${search}`}`;
  const response = await fetch(url, {
    method,
    headers: {
      ...(apiKey !== undefined && { Authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...headers,
    },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const answer: CallReply = {
    status: response.status,
    headers: response.headers,
    body: text === '' ? undefined : JSON.parse(text),
  };
  record({ apiKey, body, headers }, answer);
  assertDescribed({
    method,
    url: new URL(url),
    sent: typeof body === 'string' ? parseJson(body) : body,
    ...answer,
  });
  return answer;
}

/** For the lines of `npm run verify -- --write`: what was answered, and which idempotency records may be left. */
function record(
  { apiKey = '', body, headers = {} }: CallOptions,
  { status, headers: answered, body: answer }: CallReply,
): void {
  const meta = process.env.TEMPORARY_ORGANIZATION && TestRunner.getCurrentTest()?.meta;
  if (!meta) return;
  const requestId = answered.get('X-Request-Id') ?? undefined;
  const reply = { status, requestId, ...(status >= 400 && { body: answer }) };
  meta.replies = [...(meta.replies ?? []), reply];
  const { keyId = '' } = parseApiKey(apiKey) ?? {};
  const keys: string[] = [headers['Idempotency-Key'], Object(body).externalId].filter(Boolean);
  const records = keys.map((key) => idempotencyPrimaryKey(keyId, key));
  meta.records = [...(meta.records ?? []), ...records];
}
