/** A response as it goes out. Headers in order, a name as often as it has values. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
}

/** Response headers that a REST API passes on under another name (API Gateway developer guide, "Important notes"). */
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
 * Reads what a function returned as API Gateway reads a Lambda proxy answer: status, headers, several values for one header, a text body.
 * @returns undefined for anything that is not such an answer, which the gateway answers with an integration failure
 */
export function replyFrom(returned: unknown): Reply | undefined {
  if (!isRecord(returned)) return undefined;
  const { statusCode, headers = null, multiValueHeaders = null, body = null } = returned;
  const status = typeof statusCode === 'string' ? Number(statusCode) : statusCode;
  if (typeof status !== 'number' || !Number.isInteger(status) || status < 200 || status > 599) return undefined;
  if (body !== null && typeof body !== 'string') return undefined;
  if (!isRecordOrNull(headers) || !isRecordOrNull(multiValueHeaders)) return undefined;

  const several = Object.entries(multiValueHeaders ?? {}).flatMap(([name, values]) =>
    Array.isArray(values) ? values.map((value) => [name, String(value)] as const) : [],
  );
  const named = new Set(several.map(([name]) => name.toLowerCase()));
  const single = Object.entries(headers ?? {}).filter(([name, value]) => value !== null && !named.has(name.toLowerCase()));
  const all = [...single.map(([name, value]) => [name, String(value)] as const), ...several];
  if (all.some(([name, value]) => !headerName.test(name) || !headerValue.test(value))) return undefined;

  const kept = all
    .filter(([name]) => !['content-length', 'transfer-encoding'].includes(name.toLowerCase()))
    .map(([name, value]) => [remapped.has(name.toLowerCase()) ? `x-amzn-remapped-${name.toLowerCase()}` : name, value] as const);
  const typed = kept.some(([name]) => name.toLowerCase() === 'content-type');
  return { status, headers: typed ? kept : [['Content-Type', 'application/json'], ...kept], body: body ?? '' };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isRecordOrNull = (value: unknown): value is Record<string, unknown> | null => value === null || isRecord(value);
