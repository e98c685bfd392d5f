import { crc32 as zlibCrc32 } from 'node:zlib';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  apiKeyPattern,
  apiKeyRandomBytes,
  crc32,
  hashApiKey,
  mintApiKey,
  parseApiKey,
  scopesFor,
} from '../../../shared/organization/api-key.ts';

const randomBytes = fc.uint8Array({ minLength: apiKeyRandomBytes, maxLength: apiKeyRandomBytes });
const letter = fc.constantFrom(
  ...'0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_',
);

test('a minted key parses back to its id and is found by the published pattern', () => {
  fc.assert(
    fc.property(randomBytes, (bytes) => {
      const { key, keyId } = mintApiKey(bytes);

      expect(parseApiKey(key)).toEqual({ keyId });
      expect(key).toMatch(/^leads_live_[0-9A-Za-z]{10}_[0-9A-Za-z]{49}$/);
      expect(`Authorization: Bearer ${key}, sent`.match(new RegExp(apiKeyPattern))?.[0]).toBe(key);
    }),
  );
});

test('a key with any one character changed is refused', () => {
  fc.assert(
    fc.property(randomBytes, fc.nat(), letter, (bytes, at, other) => {
      const { key } = mintApiKey(bytes);
      const position = at % key.length;
      fc.pre(key[position] !== other);

      expect(
        parseApiKey(`${key.slice(0, position)}${other}${key.slice(position + 1)}`),
      ).toBeUndefined();
    }),
    { numRuns: 500 },
  );
});

test('different random bytes make different secrets', () => {
  fc.assert(
    fc.property(
      randomBytes,
      fc.integer({ min: 8, max: apiKeyRandomBytes - 1 }),
      fc.integer({ min: 1, max: 255 }),
      (bytes, at, change) => {
        const other = bytes.map((byte, index) => (index === at ? byte ^ change : byte));

        expect(mintApiKey(other).key).not.toBe(mintApiKey(bytes).key);
      },
    ),
  );
});

test('minting from too few random bytes is a defect, not a weak key', () => {
  expect(() => mintApiKey(new Uint8Array(apiKeyRandomBytes - 1))).toThrow(RangeError);
});

test('an API key is hashed with SHA-256', () => {
  expect(hashApiKey('abc')).toBe(
    'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
  );
});

test.each([
  ['website-form', undefined, ['leads.capture']],
  ['website-form', ['leads.capture'], ['leads.capture']],
  ['application', ['leads.read'], ['leads.read']],
  ['application', ['leads.write'], ['leads.read', 'leads.write']],
  ['application', ['leads.capture', 'leads.read', 'leads.read'], ['leads.read', 'leads.capture']],
] as const)('a %s key of %j gets %j', (type, asked, granted) => {
  expect(scopesFor(type, asked)).toEqual(granted);
});

test.each([
  ['website-form', ['leads.read'], /only leads\.capture/],
  ['website-form', ['leads.capture', 'leads.read'], /only leads\.capture/],
  ['website-form', [], /only leads\.capture/],
  ['application', [], /at least one/],
  ['application', undefined, /at least one/],
] as const)('a %s key asked for %j is refused', (type, asked, reason) => {
  expect(scopesFor(type, asked)).toMatch(reason);
});

test('the checksum is the CRC-32 of zlib, for any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (text) => {
      expect(crc32(text)).toBe(zlibCrc32(text));
    }),
  );
});
