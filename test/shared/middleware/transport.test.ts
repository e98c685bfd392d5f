import middy from '@middy/core';
import type { APIGatewayProxyEvent, Context } from 'aws-lambda';
import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../../shared/contract/endpoints.ts';
import { limits } from '../../../shared/contract/limits.ts';
import type { Call } from '../../../shared/middleware/call.ts';
import { transport } from '../../../shared/middleware/transport.ts';
import { refusalOf } from '../leads/refusal.ts';
import { type EventParts, newCall, requestEvent } from './event.ts';

const apiKey = `leads_live_${'A'.repeat(10)}_${'b'.repeat(49)}`;
const https = { 'X-Forwarded-Proto': 'https' };
const json = { ...https, 'Content-Type': 'application/json' };

const stack = middy<APIGatewayProxyEvent, unknown, Error, Call & Context>(
  async (_: APIGatewayProxyEvent, { jsonBody }: Call & Context) => jsonBody,
).use(transport());
/** What the endpoint gets as its body. */
const pass = async (parts: EventParts, name?: EndpointName): Promise<unknown> =>
  stack(requestEvent(parts), newCall(name) as Call & Context);
const base64 = (body: string | Buffer): EventParts => ({
  body: Buffer.from(body).toString('base64'),
  isBase64Encoded: true,
});
const codeOf = async (parts: EventParts, name?: EndpointName): Promise<string> =>
  (await refusalOf(() => pass(parts, name))).code;

describe('the order of the refusals', () => {
  const issues: [string, EventParts][] = [
    [
      'HTTPS_REQUIRED',
      { headers: { 'X-Forwarded-Proto': 'http', 'Content-Type': 'application/json' } },
    ],
    [
      'KEY_IN_URL',
      {
        queryStringParameters: { api_key: 'x' },
        multiValueQueryStringParameters: { api_key: ['x'] },
      },
    ],
    // The contract has no address with a slash behind it; API Gateway brings it to the same route.
    ['NOT_FOUND', { path: '/api/v1/leads/capture/' }],
    ['PAYLOAD_TOO_LARGE', { body: ' '.repeat(limits.bodyMaxBytes + 1) }],
    ['UNSUPPORTED_MEDIA_TYPE', { headers: { ...https, 'Content-Type': 'text/plain' } }],
    ['INVALID_JSON', { body: '{' }],
  ];
  test.each(issues.map(([code], index) => [code, issues.slice(index)] as const))(
    'of the faults from %s on, the first is reported',
    async (code, faults) => {
      const parts = faults.map(([, fault]) => fault).reverse();
      const headers = Object.assign({}, json, ...parts.map((fault) => fault.headers));
      const all: EventParts = Object.assign({}, ...parts, { headers });
      expect(await codeOf(all)).toBe(code);
    },
  );
});

describe('HTTPS', () => {
  const type = { 'content-type': 'application/json' };
  test.each([
    { 'x-forwarded-proto': 'http' },
    { 'X-FORWARDED-PROTO': 'http' },
    { 'X-Forwarded-Proto': 'HTTP' },
    { 'X-Forwarded-Proto': 'https, http' },
    { 'X-Forwarded-Proto': ' http ' },
  ])('plain HTTP is seen in the header %j', async (header) => {
    expect(await codeOf({ headers: { ...type, ...header } })).toBe('HTTPS_REQUIRED');
  });
  test('plain HTTP is seen in one of repeated headers', async () => {
    const headers = { 'x-forwarded-proto': 'https', ...type };
    const multiValueHeaders = { 'x-forwarded-proto': ['https', 'http'] };
    expect(await codeOf({ headers, multiValueHeaders })).toBe('HTTPS_REQUIRED');
  });
  test('lets https in, and a caller without headers', async () => {
    expect(
      await pass({ headers: { 'X-Forwarded-Proto': 'HTTPS' }, body: null }, 'list-users'),
    ).toBeUndefined();
    expect(await pass({ headers: null, body: null }, 'list-users')).toBeUndefined();
  });
});

describe('a key in the address', () => {
  const withQuery = (name: string, value = 'x'): EventParts => ({
    queryStringParameters: { [name]: value },
    multiValueQueryStringParameters: { [name]: [value] },
  });

  test.each([
    'api_key',
    'apiKey',
    'API-KEY',
    'api_key[]',
    'key',
    'client_secret',
    'leads_api_key',
    'access_token',
    'bearer',
    'authorization',
    'password',
    'api%5Fkey',
    'private_key',
  ])('is refused for a parameter named %s', async (name) => {
    expect(await codeOf(withQuery(name))).toBe('KEY_IN_URL');
  });

  const encoded = (text: string): string =>
    [...text].map((letter) => `%${letter.charCodeAt(0).toString(16).padStart(2, '0')}`).join('');
  test.each<[string, EventParts]>([
    ['as a value', withQuery('q', apiKey)],
    [
      'as one of several values',
      { multiValueQueryStringParameters: { q: ['x', apiKey] }, queryStringParameters: { q: 'x' } },
    ],
    ['as a parameter’s name', withQuery(apiKey, '')],
    ['in the path', { path: `/api/v1/leads/${apiKey}` }],
    ['as a path parameter', { pathParameters: { leadId: apiKey } }],
    ['in capitals', withQuery('q', apiKey.toUpperCase())],
    ['encoded twice', withQuery('q', encoded(encoded(apiKey)))],
  ])('is refused %s', async (_, parts) => {
    const { code, message } = await refusalOf(() => pass(parts));
    expect(code).toBe('KEY_IN_URL');
    expect(message).not.toContain(apiKey);
  });

  test.each(['filter', 'monkey', 'keyword', 'tokens_used', 'author'])(
    'is not seen in the parameter %s',
    async (name) =>
      expect(await pass({ ...withQuery(name, '5'), body: null }, 'list-leads')).toBeUndefined(),
  );
  test.each(['[{"field":"api_token","value":"api_key=5"}]', '50%', '%ff%fe', 'leads_lively'])(
    'is not seen in the value %j',
    async (value) =>
      expect(
        await pass({ ...withQuery('filter', value), body: null }, 'list-leads'),
      ).toBeUndefined(),
  );
});

describe('the size of a body', () => {
  const ofBytes = (bytes: number): string => `"${'a'.repeat(bytes - 2)}"`;

  test('the size of a body in base64 is that of the decoded bytes', async () => {
    expect(await pass(base64(ofBytes(100_000)))).toHaveLength(99_998);
    expect(await codeOf(base64(ofBytes(100_001)))).toBe('PAYLOAD_TOO_LARGE');
  });
  test('does not matter where the endpoint takes none', async () => {
    expect(await pass({ body: ofBytes(100_001), headers: https }, 'get-lead')).toBeUndefined();
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
