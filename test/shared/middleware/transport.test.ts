import { describe, expect, test } from 'vitest';
import { limits } from '../../../shared/contract/limits.ts';
import { refusalOf } from '../leads/refusal.ts';
import { codeOf, https, json, pass } from './before-the-key.ts';
import type { EventParts } from './event.ts';

const apiKey = `leads_live_${'A'.repeat(10)}_${'b'.repeat(49)}`;

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
  test('accepts https, and a caller without headers', async () => {
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
