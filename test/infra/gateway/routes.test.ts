import { expect, test } from 'vitest';
import { routerFor } from '../../../infra/gateway/routes.ts';
import { endpoints } from '../../../shared/endpoints.ts';

const route = routerFor(endpoints);
const nameOf = (method: string, path: string): string | undefined =>
  route(method, path)?.endpoint.name;

test.each(endpoints)('$method $path leads to $name', ({ name, method, path }) => {
  expect(nameOf(method, path.replace('{leadId}', '17'))).toBe(name);
});

test.each([
  ['a fixed segment wins over a parameter', 'POST', '/api/v1/leads/capture', 'capture-lead'],
  ['a trailing slash is ignored', 'GET', '/api/v1/leads/', 'list-leads'],
  [
    'a fixed segment stays fixed for a method it does not have',
    'GET',
    '/api/v1/leads/capture',
    undefined,
  ],
  ['a method the address does not have', 'DELETE', '/api/v1/leads/17', undefined],
  ['HEAD is no GET', 'HEAD', '/api/v1/leads', undefined],
  ['methods are written in capitals', 'get', '/api/v1/leads', undefined],
  ['paths tell upper from lower case', 'GET', '/api/v1/Leads', undefined],
  ['an empty segment is no parameter', 'POST', '/api/v1/leads//notes', undefined],
  ['a segment more', 'GET', '/api/v1/leads/17/notes/1', undefined],
  ['the root', 'GET', '/', undefined],
  ['no path at all', 'OPTIONS', '*', undefined],
])('%s: %s %s', (_, method, path, name) => {
  expect(nameOf(method, path)).toBe(name);
});

test('a path parameter stays percent-encoded, and is null where there is none', () => {
  expect(route('GET', '/api/v1/leads/%31%2F7')?.pathParameters).toEqual({ leadId: '%31%2F7' });
  expect(route('GET', '/api/v1/leads')?.pathParameters).toBeNull();
});
