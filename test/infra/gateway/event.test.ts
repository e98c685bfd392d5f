import { expect, test } from 'vitest';
import { eventFor, type GatewayRequest, targetOf } from '../../../infra/gateway/event.ts';
import { endpointNamed } from '../../../shared/endpoints.ts';

const route = { endpoint: endpointNamed('get-lead'), pathParameters: { leadId: '%317' } };

const eventOf = (request: Partial<GatewayRequest> = {}) =>
  eventFor(
    {
      method: 'GET',
      path: '/api/v1/leads/%317',
      query: '',
      rawHeaders: ['Host', '127.0.0.1:4010', 'User-Agent', 'test'],
      body: Buffer.alloc(0),
      requestId: '6f1c6d4e-0000-4000-8000-000000000000',
      extendedRequestId: 'JKJaXmPLvHcESHA=',
      ...request,
    },
    route,
  );

test('an event names the resource as the endpoints do, the path as sent, and null for what is absent', () => {
  const event = eventOf();

  expect(event).toMatchObject({
    resource: '/api/v1/leads/{leadId}',
    path: '/api/v1/leads/%317',
    httpMethod: 'GET',
    pathParameters: { leadId: '%317' },
    queryStringParameters: null,
    multiValueQueryStringParameters: null,
    stageVariables: null,
    body: null,
    isBase64Encoded: false,
  });
  expect(event.requestContext).toEqual({
    requestId: '6f1c6d4e-0000-4000-8000-000000000000',
    extendedRequestId: 'JKJaXmPLvHcESHA=',
  });
});

test('an event has query parameters decoded once, a plus as a space, and the last of several values', () => {
  const event = eventOf({
    query: 'email=test%2Balias&plus=a+b&twice=%2541&price=10&price=20&empty=&bare&__proto__=x',
  });

  expect(event.multiValueQueryStringParameters).toEqual(
    Object.fromEntries([
      ['email', ['test+alias']],
      ['plus', ['a b']],
      ['twice', ['%41']],
      ['price', ['10', '20']],
      ['empty', ['']],
      ['bare', ['']],
      ['__proto__', ['x']],
    ]),
  );
  expect(event.queryStringParameters).toMatchObject({ price: '20' });
});

test("an event keeps the case of the client's header names, all values, and the last one in the single map", () => {
  const event = eventOf({
    rawHeaders: ['tEsT-HEADeR', 'one', 'Test-Header', 'two', 'authorization', 'Bearer x'],
  });

  expect(event.multiValueHeaders['tEsT-HEADeR']).toEqual(['one', 'two']);
  expect(event.headers['tEsT-HEADeR']).toBe('two');
  expect(event.headers.authorization).toBe('Bearer x');
});

test.each([
  ['nothing', [], 'https'],
  ['https', ['X-Forwarded-Proto', 'https'], 'https'],
  ['http', ['x-forwarded-proto', 'http'], 'http'],
  ['HTTP', ['X-FORWARDED-PROTO', 'HTTP'], 'http'],
  ['another word', ['X-Forwarded-Proto', 'ftp'], 'https'],
  ['http and https', ['X-Forwarded-Proto', 'http', 'x-forwarded-PROTO', 'https'], 'http'],
  ['https and http', ['X-Forwarded-Proto', 'https', 'x-forwarded-PROTO', 'http'], 'http'],
])('passes a request that says %s of its protocol on as %s', (_, rawHeaders, proto) => {
  const { headers, multiValueHeaders } = eventOf({ rawHeaders });

  expect(multiValueHeaders['X-Forwarded-Proto']).toEqual([proto]);
  expect(
    Object.keys(headers).filter((name) => name.toLowerCase() === 'x-forwarded-proto'),
  ).toHaveLength(1);
});

test.each([
  ['UTF-8', Buffer.from('{"name":"आशा 🌱"}'), '{"name":"आशा 🌱"}'],
  ['not UTF-8', Buffer.from('{"name":"Zo\xeb"}', 'latin1'), '{"name":"Zo\ufffd"}'],
])('a body that is %s is passed on as text, with U+FFFD where bytes were lost', (_, sent, body) => {
  expect(eventOf({ body: sent })).toMatchObject({ isBase64Encoded: false, body });
});

test('an event has header bytes that are UTF-8 as the text that they mean', () => {
  const sent = Buffer.from('आशा', 'utf8').toString('latin1');

  expect(eventOf({ rawHeaders: ['X-Name', sent] }).headers['X-Name']).toBe('आशा');
});

test.each([
  ['/a?b=c', '/a', 'b=c'],
  ['/a?b=c?d', '/a', 'b=c?d'],
  ['/a', '/a', ''],
  ['http://127.0.0.1:4010/a/b?c', '/a/b', 'c'],
  ['http://127.0.0.1:4010', '/', ''],
  ['//a/b', '//a/b', ''],
])('splits the request target %s', (url, path, query) => {
  expect(targetOf({ url })).toEqual({ path, query });
});
