import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { refusalOf } from '../leads/refusal.ts';
import { codeOf, https, json, pass } from './before-the-key.ts';
import type { EventParts } from './event.ts';

const base64 = (body: string | Buffer): EventParts => ({
  body: Buffer.from(body).toString('base64'),
  isBase64Encoded: true,
});

describe('the size of a body', () => {
  const ofBytes = (bytes: number): string => `"${'a'.repeat(bytes - 2)}"`;

  test('the size of a body in base64 is that of the decoded bytes', async () => {
    expect(await pass(base64(ofBytes(100_000)))).toHaveLength(99_998);
    expect(await codeOf(base64(ofBytes(100_001)))).toBe('PAYLOAD_TOO_LARGE');
  });
});

describe('the content type', () => {
  test.each(['APPLICATION/JSON', 'application/json;charset="UTF-8"', ' application/json ; x=y'])(
    '%j is taken',
    async (type) => {
      expect(await pass({ headers: { ...https, 'content-TYPE': type }, body: '{"a":1}' })).toEqual({
        a: 1,
      });
    },
  );
  test.each([
    'application/jsonp',
    'application/vnd.x+json',
    '',
    'application/*',
    'text/plain; application/json',
    'application/json, text/plain',
  ])('%j is refused', async (type) =>
    expect(await codeOf({ headers: { ...https, 'Content-Type': type } })).toBe(
      'UNSUPPORTED_MEDIA_TYPE',
    ),
  );

  test('must be there, whatever the body', async () => {
    expect(await codeOf({ headers: https })).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await codeOf({ headers: https, body: null })).toBe('UNSUPPORTED_MEDIA_TYPE');
    expect(await codeOf({ headers: null, body: null })).toBe('UNSUPPORTED_MEDIA_TYPE');
  });
  test('two Content-Type headers must agree', async () => {
    const twice = (...types: string[]): EventParts => ({
      headers: { ...https, 'Content-Type': types.at(-1)! },
      multiValueHeaders: { 'Content-Type': types },
    });
    expect(await pass(twice('application/json', 'application/json; charset=utf-8'))).toEqual({});
    expect(await codeOf(twice('text/plain', 'application/json'))).toBe('UNSUPPORTED_MEDIA_TYPE');
  });
});

describe('the body', () => {
  test.each<[string, unknown]>([
    ['{"name":"आशा 🎓"}', { name: 'आशा 🎓' }],
    ['[1]', [1]],
    ['null', null],
  ])('%j is JSON', async (body, value) => {
    expect(await pass({ body })).toEqual(value);
    expect(await pass(base64(body))).toEqual(value);
  });

  test.each([null, '', '{', '{"a":1,}', '{"a":1}{"b":2}', 'NaN', '{"a":"\n"}', '// x\n{}'])(
    '%j is not JSON',
    async (body) => {
      const { code, message } = await refusalOf(() => pass({ body }));
      expect(code).toBe('INVALID_JSON');
      expect(message).toMatch(/^The body is /);
    },
  );

  test.each([
    ['{"name":"Asha", }', 16],
    ['{"name":True}', 8],
    ['["JSON at position 3", x]', 23],
    ['{"name":"Asha"', 14],
    ['{"name":"Asha"} {"name":"Ravi"}', 16],
    [`{"name":"${'a'.repeat(90_000)}",}`, 90_011],
  ])('of %j, the refusal names the position %i and nothing of the body', async (body, position) => {
    const { message } = await refusalOf(() => pass({ body }));
    expect(message).toBe(`The body is not valid JSON: see position ${position}, counted from 0.`);
  });

  test('a byte order mark at its start is ignored', async () => {
    expect(await pass({ body: '\ufeff{"name":"Asha"}' })).toEqual({ name: 'Asha' });
    expect(await pass(base64('\ufeff{"__proto__":1}'))).toEqual(JSON.parse('{"__proto__":1}'));
    for (const body of ['\ufeff', '\ufeff\ufeff{}', '{"name":\ufeff"Asha"}'])
      expect(await codeOf({ body })).toBe('INVALID_JSON');
  });

  test('which is compressed is refused with the remedy, unless it can be read', async () => {
    const encoded = (encoding: string, body: string): EventParts => ({
      headers: { ...json, 'content-encoding': encoding },
      body,
    });
    for (const encoding of ['gzip', 'br', 'deflate, gzip'])
      expect(await refusalOf(() => pass(encoded(encoding, '\u001f\ufffd\b')))).toMatchObject({
        code: 'INVALID_JSON',
        message: 'Send the body uncompressed, without Content-Encoding.',
      });
    expect((await refusalOf(() => pass(encoded('identity', '{')))).message).toMatch(
      /^The body is /,
    );
    expect(await pass(encoded('gzip', '{}'))).toEqual({});
  });

  test('which the parser refuses leaves nothing of it in the error', async () => {
    const error = await pass({ body: '{"name":"Asha", }' }).catch((thrown: unknown) => thrown);
    expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('Asha');
  });

  test('which names __proto__ is read as any other, and left to the schemas', async () => {
    expect(await pass({ body: '{"__proto__":{"name":"x"}}' })).toEqual(
      JSON.parse('{"__proto__":{"name":"x"}}'),
    );
  });

  test.each<[string, EventParts]>([
    ['that lost bytes, as API Gateway hands it on,', { body: '{"name":"Zo\ufffd"}' }],
    ['of bytes that are not UTF-8', base64(Buffer.from('"\xeb"', 'latin1'))],
    ['that holds a U+FFFD among its keys', { body: '{"na\ufffdme":"Zoe"}' }],
  ])('%s is refused with the remedy, rather than stored so', async (_, parts) => {
    const { code, message } = await refusalOf(() => pass(parts));
    expect(code).toBe('INVALID_JSON');
    expect(message).toMatch(/not UTF-8.*\\ufffd/);
  });

  test('may hold U+FFFD as an escape, of which no byte can be lost', async () => {
    expect(await pass({ body: '{"name":"Zo\\ufffd"}' })).toEqual({ name: 'Zo\ufffd' });
    expect(await pass(base64('{"name":"Zo\\uFFFD"}'))).toEqual({ name: 'Zo\ufffd' });
  });

  test('nested as deep as its size allows is read or refused, never a crash', async () => {
    const deep = '['.repeat(49_000) + ']'.repeat(49_000);
    const read = await pass({ body: deep }).catch((error: { code?: string }) => error.code);
    expect(read === 'INVALID_JSON' || Array.isArray(read)).toBe(true);
  });
});
