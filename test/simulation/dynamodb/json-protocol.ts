import type { Request } from './request.ts';

const encoder = new TextEncoder();

/** A request as DynamoDB's JSON protocol writes it; binary values are base64 there. */
export function requestOf(sent: string | Uint8Array = '{}'): Request {
  const body = typeof sent === 'string' ? sent : new TextDecoder().decode(sent);
  return (body.includes('"B') ? JSON.parse(body, withBytes) : JSON.parse(body)) as Request;
}

export const replyBody = (reply: object): Uint8Array =>
  encoder.encode(JSON.stringify(reply, withoutBytes));

function withBytes(name: string, value: unknown): unknown {
  if (name === 'B' && typeof value === 'string') return Buffer.from(value, 'base64');
  if (name === 'BS' && Array.isArray(value))
    return value.map((one) => Buffer.from(String(one), 'base64'));
  return value;
}

/** `Buffer` has a JSON form of its own by the time a replacer sees it. */
function withoutBytes(_name: string, value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  const { type, data } = (value ?? {}) as { type?: unknown; data?: unknown };
  return type === 'Buffer' && Array.isArray(data)
    ? Buffer.from(data as number[]).toString('base64')
    : value;
}
