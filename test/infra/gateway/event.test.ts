import { expect, test } from 'vitest';
import { eventFor, type GatewayRequest, targetOf } from '../../../infra/gateway/event.ts';
import { routerFor } from '../../../infra/gateway/routes.ts';
import { endpointNamed, endpoints } from '../../../shared/contract/endpoints.ts';

const route = { endpoint: endpointNamed('get-lead'), pathParameters: { leadId: '%317' } };

const eventOf = (request: Partial<GatewayRequest> = {}) =>
  eventFor(
    {
      method: 'GET',
      path: '/api/v1/leads/%317',
      query: '',
      rawHeaders: ['Host', '127.0.0.1:4010', 'User-Agent', 'test'],
      body: Buffer.alloc(0),
      sourceIp: '127.0.0.1',
      protocol: 'HTTP/1.1',
      requestId: '6f1c6d4e-0000-4000-8000-000000000000',
      extendedRequestId: 'JKJaXmPLvHcESHA=',
      ...request,
    },
    route,
  );

test('an event names the resource as the endpoints do, the path as sent, and null for what is absent', () => {
  const before = Date.now();

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
  expect(event.requestContext).toMatchObject({
    path: '/api/v1/leads/%317',
    resourcePath: '/api/v1/leads/{leadId}',
    httpMethod: 'GET',
    stage: 'local',
    protocol: 'HTTP/1.1',
    requestId: '6f1c6d4e-0000-4000-8000-000000000000',
    extendedRequestId: 'JKJaXmPLvHcESHA=',
    identity: { sourceIp: '127.0.0.1', userAgent: 'test' },
  });
  expect(event.requestContext.requestTimeEpoch).toBeGreaterThanOrEqual(before);
  expect(event.requestContext.requestTimeEpoch).toBeLessThanOrEqual(Date.now());
  expect(event.requestContext.requestTime).toMatch(
    /^\d\d\/[A-Z][a-z]{2}\/\d{4}:\d\d:\d\d:\d\d \+0000$/,
  );
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

test('an event leaves out headers that concern only the connection', () => {
  const event = eventOf({
    rawHeaders: Object.entries({
      Connection: 'keep-alive',
      'Content-Length': '3',
      'Transfer-Encoding': 'chunked',
      Accept: '*/*',
    }).flat(),
  });

  expect(Object.keys(event.headers).sort()).toEqual([
    'Accept',
    'X-Amzn-Trace-Id',
    'X-Forwarded-For',
    'X-Forwarded-Port',
    'X-Forwarded-Proto',
  ]);
});

test.each([
  ['nothing', [], 'https', '443'],
  ['https', ['X-Forwarded-Proto', 'https'], 'https', '443'],
  ['http', ['x-forwarded-proto', 'http'], 'http', '80'],
  ['HTTP', ['X-FORWARDED-PROTO', 'HTTP'], 'http', '80'],
  ['another word', ['X-Forwarded-Proto', 'ftp'], 'https', '443'],
  ['http and https', ['X-Forwarded-Proto', 'http', 'x-forwarded-PROTO', 'https'], 'http', '80'],
  ['https and http', ['X-Forwarded-Proto', 'https', 'x-forwarded-PROTO', 'http'], 'http', '80'],
])('passes a request that says $0 of its protocol on as $2', (_, rawHeaders, proto, port) => {
  const { headers, multiValueHeaders } = eventOf({ rawHeaders });

  expect(multiValueHeaders['X-Forwarded-Proto']).toEqual([proto]);
  expect(headers['X-Forwarded-Port']).toBe(port);
  expect(
    Object.keys(headers).filter((name) => name.toLowerCase() === 'x-forwarded-proto'),
  ).toHaveLength(1);
});

test("an event names the connection's address after those already in X-Forwarded-For", () => {
  expect(
    eventOf({ rawHeaders: ['X-Forwarded-For', '203.0.113.9'] }).headers['X-Forwarded-For'],
  ).toBe('203.0.113.9, 127.0.0.1');
});

test.each([
  ['UTF-8', Buffer.from('{"name":"आशा 🌱"}'), '{"name":"आशा 🌱"}'],
  ['not UTF-8', Buffer.from('{"name":"Zo\xeb"}', 'latin1'), '{"name":"Zo\ufffd"}'],
])('a body that is %s is passed on as text, with U+FFFD where bytes were lost', (_, sent, body) => {
  expect(eventOf({ body: sent })).toMatchObject({ isBase64Encoded: false, body });
});

test.each([
  ['UTF-8', 'आशा', Buffer.from('आशा').toString('latin1')],
  ['not UTF-8', 'Zo\xeb', 'Zo\xeb'],
])('header bytes that are %s are passed on as %s', (_, read, sent) => {
  expect(eventOf({ rawHeaders: ['X-Name', sent] }).headers['X-Name']).toBe(read);
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

const router = routerFor(endpoints);
const nameOf = (method: string, path: string): string | undefined =>
  router(method, path)?.endpoint.name;

test.each([
  ['a fixed segment wins over a parameter', 'POST', '/api/v1/leads/capture', 'capture-lead'],
  ['a trailing slash is ignored', 'GET', '/api/v1/leads/', 'list-leads'],
  ['HEAD is no GET', 'HEAD', '/api/v1/leads', undefined],
  ['methods are written in capitals', 'get', '/api/v1/leads', undefined],
  ['an empty segment is no parameter', 'POST', '/api/v1/leads//notes', undefined],
  ['a segment more', 'GET', '/api/v1/leads/17/notes/1', undefined],
  ['no path at all', 'OPTIONS', '*', undefined],
])('%s: %s %s', (_, method, path, name) => {
  expect(nameOf(method, path)).toBe(name);
});

test('a path parameter stays percent-encoded, and is null where there is none', () => {
  expect(router('GET', '/api/v1/leads/%31%2F7')?.pathParameters).toEqual({ leadId: '%31%2F7' });
  expect(router('GET', '/api/v1/leads')?.pathParameters).toBeNull();
});
