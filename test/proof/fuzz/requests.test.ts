import fc from 'fast-check';
import * as v from 'valibot';
import { expect, test } from 'vitest';
import { problemsOf } from './answer-problems.ts';
import { requestsOf } from './episodes.ts';
import { withKeys } from './requests.ts';
import type { Tenant } from './tenant.ts';
import { fitting, schemasByEndpoint, vocabularyFor } from './valid-requests.ts';

const tenant: Tenant = {
  organizationId: 1,
  mark: 'Mark-1',
  keys: {
    all: 'key-of-all',
    reader: 'key-of-reader',
    writer: 'key-of-writer',
    website: 'key-of-website',
    expired: 'key-of-expired',
  },
};
const stranger: Tenant = { ...tenant, organizationId: 2, mark: 'Mark-2' };

test('the same seed and episode make the same requests, and other seeds make other requests', () => {
  expect(requestsOf(1, 0)).toEqual(requestsOf(1, 0));
  expect(requestsOf(1, 1)).not.toEqual(requestsOf(1, 0));
  expect(requestsOf(2, 0)).not.toEqual(requestsOf(1, 0));
});

const schemas = schemasByEndpoint.flatMap(([{ name }, { path, headers, query, body }]) =>
  Object.entries({ path, headers, query, body }).flatMap(([part, schema]) =>
    schema ? [{ part, name, schema }] : [],
  ),
);

test.each(schemas)('a value made to fit the schema of the $part of $name is accepted', (row) => {
  for (const known of [vocabularyFor(row.name), {}])
    fc.assert(
      fc.property(fitting(row.schema, known), (sent) => v.is(row.schema, sent)),
      {
        numRuns: 1000,
      },
    );
});

test('a request names keys by their labels until it is sent', () => {
  const requests = [0, 1, 2, 3, 4].flatMap((episode) => requestsOf(1, episode));
  const sent = JSON.stringify(requests.map((request) => withKeys(request, tenant)));

  expect(JSON.stringify(requests)).not.toContain('key-of-');
  expect(sent).toContain('Bearer key-of-all');
  expect(sent).not.toContain('{key:');
});

const request = { method: 'GET', target: '/api/v1/users', headers: [] };
const good = {
  status: 200,
  headers: new Headers({
    'Content-Type': 'application/json',
    'Cache-Control': 'no-store',
    'X-Request-Id': 'JKJaXmPLvHcESHA=',
    'RateLimit-Limit': '600',
    'RateLimit-Remaining': '1',
    'RateLimit-Reset': '9',
  }),
  text: '{"items":[]}',
};

test.each<[string, { status?: number; text?: string; set?: [string, string] }, RegExp]>([
  [
    'a failure of the service',
    { status: 500, text: '{"error":{"code":"INTERNAL","message":"x"}}' },
    /failed with 500 INTERNAL/,
  ],
  ['a body that is not described', { text: '{"items":[{"id":"1"}]}' }, /does not describe/],
  ['a status that is not described', { status: 418, text: '{}' }, /the status must be one of/],
  ['a key', { text: '{"items":[{"id":1,"name":"key-of-writer"}]}' }, /holds the key writer/],
  [
    'what is of another organization',
    { text: '{"items":[{"id":1,"name":"A Mark-2"}]}' },
    /another organization/,
  ],
  ['an answer that may be cached', { set: ['Cache-Control', 'public'] }, /Cache-Control/],
  [
    'a header of CORS',
    { set: ['Access-Control-Allow-Origin', '*'] },
    /access-control-allow-origin is there/,
  ],
  ['a banner', { set: ['Server', 'node'] }, /server is there/],
  ['no request id', { set: ['X-Request-Id', ''] }, /X-Request-Id/],
  [
    'an address that is not there, where it is',
    { status: 404, text: '{"error":{"code":"NOT_FOUND","message":"x"}}' },
    /the status must be one of/,
  ],
])('an answer with %s is a finding', (_, { status = 200, text = good.text, set }, problem) => {
  const headers = new Headers(good.headers);
  if (set) headers.set(...set);

  const { problems } = problemsOf(request, { status, headers, text }, tenant, [stranger]);

  expect(problemsOf(request, good, tenant, [stranger])).toEqual({ outcome: '200', problems: [] });
  expect(problems.join('; ')).toMatch(problem);
});
