import { expect, test } from 'vitest';
import { replyFrom } from '../../../infra/gateway/reply.ts';

test('a reply has the status, the headers and the body', () => {
  const reply = replyFrom({
    statusCode: 201,
    headers: { 'Content-Type': 'application/json', 'X-Count': 3 },
    body: '{}',
  });

  expect(reply).toEqual({
    status: 201,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Count', '3'],
    ],
    body: '{}',
  });
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
