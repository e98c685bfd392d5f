import { isPlainObject } from '../../shared/json.ts';

/** The result of an invocation: what the function returned, or why it returned nothing. */
export type InvocationResult =
  | { readonly outcome: 'returned'; readonly response: unknown }
  | { readonly outcome: 'event-too-large' }
  | { readonly outcome: 'failed' | 'timed-out'; readonly reason: string };

/** A response to send. Headers are in order; a name appears once per value. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Response headers that a REST API renames (API Gateway developer guide, "Important notes"). */
const remapped = new Set([
  'connection',
  'date',
  'expect',
  'host',
  'max-forwards',
  'proxy-authenticate',
  'server',
  'trailer',
  'upgrade',
  'www-authenticate',
]);
const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** What HTTP allows in a value. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads what a function returned as API Gateway reads the response of a Lambda proxy: status, headers (also with several values), body.
 * @returns undefined for anything that is not such a response; the gateway then sends an integration failure
 */
export function replyFrom(returned: unknown): Reply | undefined {
  if (!isPlainObject(returned)) return undefined;
  const { statusCode, headers = null, multiValueHeaders = null, body = null } = returned;
  const status = typeof statusCode === 'string' ? Number(statusCode) : statusCode;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599)
    return undefined;
  if (body !== null && typeof body !== 'string') return undefined;
  if (!isObjectOrNull(headers) || !isObjectOrNull(multiValueHeaders)) return undefined;

  const multiple = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
    Array.isArray(values) ? values.map((value) => [name, String(value)] as const) : [],
  );
  const multipleNames = new Set(multiple.map(([name]) => name.toLowerCase()));
  const single = Object.entries(headers ?? {}).filter(
    ([name, value]) => value !== null && !multipleNames.has(name.toLowerCase()),
  );
  const all = [...single.map(([name, value]) => [name, String(value)] as const), ...multiple];
  if (all.some(([name, value]) => !headerName.test(name) || !headerValue.test(value)))
    return undefined;

  const kept = all
    .filter(([name]) => !['content-length', 'transfer-encoding'].includes(name.toLowerCase()))
    .map(
      ([name, value]) =>
        [
          remapped.has(name.toLowerCase()) ? `x-amzn-remapped-${name.toLowerCase()}` : name,
          value,
        ] as const,
    );
  const hasContentType = kept.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    status,
    headers: hasContentType ? kept : [['Content-Type', 'application/json'], ...kept],
    body: body ?? '',
  };
}

const isObjectOrNull = (value: unknown): value is Record<string, unknown> | null =>
  value === null || isPlainObject(value);
