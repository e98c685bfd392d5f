import { hash } from 'node:crypto';
import { apiKeyScopes, type Scope } from '../contract/endpoints.ts';

/**
 * An API key is `leads_live_<key ID>_<secret><checksum>`: 10, 43 and 6 characters of base 62. Secret scanners find leaked keys by the
 * prefix; the checksum detects a mistyped key without a read; the key ID identifies the key to people.
 */
export const apiKeyPrefix = 'leads_live_';
const keyIdChars = 10;
const secretChars = 43;
const checksumChars = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Finds API keys of this service in any text; published in integrator.md for secret scanners. */
export const apiKeyPattern = `${apiKeyPrefix}[0-9A-Za-z]{${keyIdChars}}_[0-9A-Za-z]{${secretChars + checksumChars}}`;
const wholeKey = new RegExp(`^${apiKeyPattern}$`);

export const apiKeyTypes = ['website-form', 'application'] as const;
export type ApiKeyType = (typeof apiKeyTypes)[number];

const keyIdBytes = 8;
const secretBytes = 32;
/** Random bytes that `mintApiKey` needs: 8 for the key ID, 32 for the secret. */
export const apiKeyRandomBytes = keyIdBytes + secretBytes;

/** The bytes as one number in base 62, exactly `chars` digits wide: the highest digits of a larger number are dropped. */
function base62(bytes: Uint8Array, chars: number): string {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  let text = '';
  while (text.length < chars) {
    text = `${alphabet.charAt(Number(rest % 62n))}${text}`;
    rest /= 62n;
  }
  return text;
}

/** The CRC-32 of zlib. Loading zlib would add two milliseconds to every cold start. */
export function crc32(text: string): number {
  let crc = 0xffffffff;
  for (const byte of Buffer.from(text)) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return ~crc >>> 0;
}

function checksumOf(text: string): string {
  const bytes = new Uint8Array(4);
  new DataView(bytes.buffer).setUint32(0, crc32(text));
  return base62(bytes, checksumChars);
}

/** Makes an API key from random bytes. @throws RangeError unless there are exactly `apiKeyRandomBytes` */
export function mintApiKey(randomBytes: Uint8Array): { key: string; keyId: string } {
  if (randomBytes.length !== apiKeyRandomBytes)
    throw new RangeError(`An API key must be made from ${apiKeyRandomBytes} random bytes.`);
  const keyId = base62(randomBytes.subarray(0, keyIdBytes), keyIdChars);
  const checked = `${apiKeyPrefix}${keyId}_${base62(randomBytes.subarray(keyIdBytes), secretChars)}`;
  return { key: `${checked}${checksumOf(checked)}`, keyId };
}

/** The ID of an API key; undefined if the text does not have a key's form or its checksum is wrong. */
export function parseApiKey(text: string): { keyId: string } | undefined {
  if (!wholeKey.test(text)) return undefined;
  if (checksumOf(text.slice(0, -checksumChars)) !== text.slice(-checksumChars)) return undefined;
  return { keyId: text.slice(apiKeyPrefix.length, apiKeyPrefix.length + keyIdChars) };
}

/** SHA-256 in hexadecimal. A key is stored only as this hash. The secret's 256 random bits need no salt and no slow hash. */
export const hashApiKey = (apiKey: string): string => hash('sha256', apiKey);

/** By key type, in days (contract, section 5). */
export const lifetimeDays: Record<ApiKeyType, number> = { 'website-form': 730, application: 90 };

/**
 * The scopes that a new key gets: a website-form key only `leads.capture`; `leads.write` includes `leads.read` (contract, section 5).
 * @returns a string if the requested scopes are not valid: the reason, which follows the word "scopes"
 */
export function scopesFor(
  type: ApiKeyType,
  requested: readonly Scope[] | undefined,
): Scope[] | string {
  if (type === 'website-form') {
    const isValid =
      !requested || (requested.length > 0 && requested.every((scope) => scope === 'leads.capture'));
    return isValid
      ? ['leads.capture']
      : 'must be only leads.capture, or omitted, for a website-form key';
  }
  if (!requested || requested.length === 0)
    return `must include at least one of ${apiKeyScopes.join(', ')} for an application key`;
  const isGranted = (scope: Scope) =>
    requested.includes(scope) || (scope === 'leads.read' && requested.includes('leads.write'));
  return apiKeyScopes.filter(isGranted);
}
