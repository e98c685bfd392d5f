import { createHash } from 'node:crypto';
import type { Scope } from '../endpoints.ts';
import { limits } from '../limits.ts';

/**
 * An API key is `leads_live_<key id>_<secret><checksum>`: ten, 43 and six characters of base 62. The prefix and the checksum let a
 * leaked key be found by a pattern and a mistyped one be refused without a read; the key id names the key to people.
 */
export const apiKeyPrefix = 'leads_live_';
const keyIdChars = 10;
const secretChars = 43;
const checksumChars = 6;
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Finds API keys of this service in any text; published in the README for secret scanners. */
export const apiKeyPattern = `${apiKeyPrefix}[0-9A-Za-z]{${keyIdChars}}_[0-9A-Za-z]{${secretChars + checksumChars}}`;
const wholeKey = new RegExp(`^${apiKeyPattern}$`);

export const apiKeyTypes = ['website-form', 'application'] as const;
export type ApiKeyType = (typeof apiKeyTypes)[number];
export const apiKeyScopes = ['leads.read', 'leads.write', 'leads.capture'] as const satisfies readonly Scope[];

const keyIdBytes = 8;
const secretBytes = 32;
/** Random bytes that `mintApiKey` takes: 8 for the key id, 32 for the secret. */
export const apiKeyRandomBytes = keyIdBytes + secretBytes;

/** Bytes as one number in base 62, to a fixed width; a number too wide for it loses its highest digits. */
function base62(bytes: Uint8Array, chars: number): string {
  let rest = bytes.reduce((number, byte) => number * 256n + BigInt(byte), 0n);
  let text = '';
  while (text.length < chars) {
    text = `${alphabet.charAt(Number(rest % 62n))}${text}`;
    rest /= 62n;
  }
  return text;
}

/** CRC-32 as zlib has it. Written out, since loading zlib for it would be two milliseconds of every cold start. */
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

/** Makes an API key from random bytes. @throws RangeError unless given exactly `apiKeyRandomBytes` of them. */
export function mintApiKey(randomBytes: Uint8Array): { key: string; keyId: string } {
  if (randomBytes.length !== apiKeyRandomBytes) throw new RangeError(`An API key takes ${apiKeyRandomBytes} random bytes.`);
  const keyId = base62(randomBytes.subarray(0, keyIdBytes), keyIdChars);
  const checked = `${apiKeyPrefix}${keyId}_${base62(randomBytes.subarray(keyIdBytes), secretChars)}`;
  return { key: `${checked}${checksumOf(checked)}`, keyId };
}

/** The id of a key that is spelled as a key must be, checksum included; undefined for any other text. */
export function parseApiKey(text: string): { keyId: string } | undefined {
  if (!wholeKey.test(text)) return undefined;
  if (checksumOf(text.slice(0, -checksumChars)) !== text.slice(-checksumChars)) return undefined;
  return { keyId: text.slice(apiKeyPrefix.length, apiKeyPrefix.length + keyIdChars) };
}

/** SHA-256 in hexadecimal: all of a key that is ever stored. The secret's 256 random bits need no salt and no slow hash. */
export const hashApiKey = (apiKey: string): string => createHash('sha256').update(apiKey).digest('hex');

/** How long a key of a type lives, in days (contract, section 5, key types). */
export const lifetimeDays: Record<ApiKeyType, number> = {
  'website-form': limits.keyDaysWebsiteForm,
  application: limits.keyDaysApplication,
};

/**
 * The scopes a key gets for those asked for: `website-form` has `leads.capture` alone, `leads.write` brings `leads.read` with it
 * (contract, section 5). A text instead of a list says why they cannot be had.
 */
export function scopesFor(type: ApiKeyType, asked: readonly Scope[] | undefined): Scope[] | string {
  if (type === 'website-form') {
    const fits = !asked || (asked.length > 0 && asked.every((scope) => scope === 'leads.capture'));
    return fits ? ['leads.capture'] : 'must be leads.capture alone, or left out, for a website-form key';
  }
  if (!asked || asked.length === 0) return `must name at least one of ${apiKeyScopes.join(', ')} for an application key`;
  return apiKeyScopes.filter((scope) => asked.includes(scope) || (scope === 'leads.read' && asked.includes('leads.write')));
}
