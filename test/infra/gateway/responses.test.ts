import { expect, test } from 'vitest';
import { replyFrom } from '../../../infra/gateway/reply.ts';
import {
  type GatewayResponse,
  gatewayReply,
  gatewayResponses,
} from '../../../infra/gateway/responses.ts';

const rows = Object.entries<GatewayResponse>(gatewayResponses).map(([type, response]) => ({
  type,
  code: response.code,
  ...gatewayReply(response),
}));

test.each(rows)(
  '$type has the contract’s error body, no caching, and Retry-After for a 429',
  ({ code, status, headers, body }) => {
    expect(JSON.parse(body)).toEqual({ error: { code, message: expect.stringMatching(/.\.$/) } });
    expect(body).not.toMatch(/[$#]/); // API Gateway would read them as part of a template
    expect(headers).toMatchObject({
      'Cache-Control': 'no-store',
      'Content-Type': 'application/json',
      ...(status === 429 && { 'Retry-After': expect.stringMatching(/^[1-9]\d*$/) }),
    });
    if (status !== 429) expect(headers).not.toHaveProperty('Retry-After');
  },
);

test.each([
  ['INVALID_SIGNATURE', 404, 'NOT_FOUND'],
  ['UNSUPPORTED_MEDIA_TYPE', 415, 'UNSUPPORTED_MEDIA_TYPE'],
  ['WAF_FILTERED', 403, 'FORBIDDEN'],
  ['THROTTLED', 429, 'RATE_LIMITED'],
  ['QUOTA_EXCEEDED', 429, 'RATE_LIMITED'],
  ['DEFAULT_5XX', 500, 'INTERNAL'],
] as const)('%s is %i %s', (type, status, code) => {
  expect(rows.find((row) => row.type === type)).toMatchObject({ status, code });
});

test('a reply without headers and body has the content type JSON, as in API Gateway', () => {
  expect(replyFrom({ statusCode: 204 })).toEqual({
    status: 204,
    headers: [['Content-Type', 'application/json']],
    body: '',
  });
});

test('a reply renames the header that a REST API renames', () => {
  const reply = replyFrom({
    statusCode: 401,
    headers: { 'WWW-Authenticate': 'Bearer', 'Content-Type': 'application/json' },
  });

  expect(reply?.headers).toEqual([
    ['x-amzn-remapped-www-authenticate', 'Bearer'],
    ['Content-Type', 'application/json'],
  ]);
});

test.each([
  ['nothing', null],
  ['a text', 'ok'],
  ['a list', [200]],
  ['no status', { body: '{}' }],
  ['a status below 200', { statusCode: 99 }],
  ['an interim status', { statusCode: 101 }],
  ['a status with a fraction', { statusCode: 200.5 }],
  ['a body that is not text', { statusCode: 200, body: { ok: true } }],
  ['headers that are a list', { statusCode: 200, headers: ['a'] }],
  [
    'a header that splits the response',
    { statusCode: 200, headers: { Location: 'x\r\nSet-Cookie: y' } },
  ],
  ['a header name with a space', { statusCode: 200, headers: { 'a b': 'c' } }],
])('%s is not a reply', (_, returned) => {
  expect(replyFrom(returned)).toBeUndefined();
});
