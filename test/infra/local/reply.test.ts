import { expect, test } from 'vitest';
import { replyFrom } from '../../../infra/local/reply.ts';

test('reads status, headers, several values for one header and the body', () => {
  const answer = replyFrom({
    statusCode: 201,
    headers: { 'Content-Type': 'application/json', 'X-Count': 3, 'set-cookie': 'dropped=1' },
    multiValueHeaders: { 'Set-Cookie': ['a=1', 'b=2'] },
    body: '{}',
  });

  expect(answer).toEqual({
    status: 201,
    headers: [
      ['Content-Type', 'application/json'],
      ['X-Count', '3'],
      ['Set-Cookie', 'a=1'],
      ['Set-Cookie', 'b=2'],
    ],
    body: '{}',
  });
});

test('takes an answer without headers and body as JSON, as API Gateway does', () => {
  expect(replyFrom({ statusCode: 204 })).toEqual({ status: 204, headers: [['Content-Type', 'application/json']], body: '' });
});

test('renames the headers that a REST API does not pass on under their name', () => {
  const answer = replyFrom({
    statusCode: 401,
    headers: { 'WWW-Authenticate': 'Bearer', 'Content-Type': 'application/json', 'Content-Length': '9' },
  });

  expect(answer?.headers).toEqual([
    ['x-amzn-remapped-www-authenticate', 'Bearer'],
    ['Content-Type', 'application/json'],
  ]);
});

test.each([
  ['nothing', null],
  ['a text', 'ok'],
  ['a list', [200]],
  ['no status', { body: '{}' }],
  ['a status that is none', { statusCode: 99 }],
  ['an interim status', { statusCode: 101 }],
  ['a status with a fraction', { statusCode: 200.5 }],
  ['a body that is no text', { statusCode: 200, body: { ok: true } }],
  ['headers that are a list', { statusCode: 200, headers: ['a'] }],
  ['a header that splits the response', { statusCode: 200, headers: { Location: 'x\r\nSet-Cookie: y' } }],
  ['a header name that is none', { statusCode: 200, headers: { 'a b': 'c' } }],
])('does not take %s for an answer', (_, returned) => {
  expect(replyFrom(returned)).toBeUndefined();
});
