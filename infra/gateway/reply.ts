import { isPlainObject } from '../../shared/base/json.ts';

type Header = readonly [name: string, value: string];

/** A response to send, with its headers in order. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: string;
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
/** The characters that HTTP allows in a header's value. */
const headerValue = /^[\t\x20-\x7e\x80-\xff]*$/;

/**
 * Reads a function's result the way API Gateway reads the response of a Lambda proxy: status, headers, body. No function sends
 * `multiValueHeaders`.
 * @returns undefined if the result is no such response; the gateway then sends an integration failure
 */
export function replyFrom(returned: unknown): Reply | undefined {
  if (!isPlainObject(returned)) return undefined;
  const status = Number(returned.statusCode);
  const body = returned.body ?? '';
  const headers = returned.headers ?? {};
  if (!Number.isInteger(status) || status < 200 || status > 599) return undefined;
  if (typeof body !== 'string' || !isPlainObject(headers)) return undefined;
  const all = Object.entries(headers).flatMap(([name, value]): Header[] =>
    value === null ? [] : [[name, String(value)]],
  );
  if (all.some(([name, value]) => !headerName.test(name) || !headerValue.test(value)))
    return undefined;

  // A REST API renames some headers (API Gateway developer guide, "Important notes"); functions send one of them.
  const kept = all.map(
    ([name, value]): Header =>
      name.toLowerCase() === 'www-authenticate'
        ? ['x-amzn-remapped-www-authenticate', value]
        : [name, value],
  );
  const hasContentType = kept.some(([name]) => name.toLowerCase() === 'content-type');
  return {
    status,
    headers: hasContentType ? kept : [['Content-Type', 'application/json'], ...kept],
    body,
  };
}
