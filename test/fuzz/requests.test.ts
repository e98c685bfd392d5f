import { expect, test } from 'vitest';
import { document, schemaIssue } from '../support/described.ts';
import { fromSchema } from './from-schema.ts';
import { judge } from './judge.ts';
import { Random } from './random.ts';
import { nextRequest, withKeys } from './requests.ts';
import type { Tenant } from './tenant.ts';
import { vocabularyFor } from './vocabulary.ts';

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
const requestsOf = (seed: number, count: number) => {
  const random = new Random(seed);
  return Array.from({ length: count }, () => nextRequest(random, [1, 2]));
};

test('the same seed makes the same requests, and another seed others', () => {
  expect(requestsOf(1, 200)).toEqual(requestsOf(1, 200));
  expect(requestsOf(2, 200)).not.toEqual(requestsOf(1, 200));
});

test('random numbers are spread evenly, for neighbouring seeds too', () => {
  const firsts = Array.from({ length: 10_000 }, (_, seed) => new Random(seed, 7).integer(0, 9));

  for (let digit = 0; digit < 10; digit += 1) {
    const share = firsts.filter((one) => one === digit).length;
    expect(Math.abs(share - 1000), `${digit} came ${share} times`).toBeLessThan(150);
  }
});

const bodies = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, requestBody }) => {
    const schema = requestBody?.content?.['application/json'].schema;
    return schema ? [[operationId, schema] as const] : [];
  });

test.each(bodies)(
  'a valid body of %s fits its schema, with the vocabulary of an organization and without',
  (operationId, schema) => {
    const random = new Random(3);
    const vocabularies = [vocabularyFor(operationId === 'capture-lead', []), () => undefined];

    const problems = vocabularies.flatMap((vocabulary) =>
      Array.from({ length: 300 }, () =>
        schemaIssue(schema, fromSchema(schema, random, vocabulary)),
      ),
    );

    expect(problems.filter((problem) => problem !== undefined)).toEqual([]);
  },
);

test('most valid requests carry bodies that fit, and most others do not', () => {
  const schemaOf = new Map(bodies);
  const share = (mood: string): number => {
    const all = requestsOf(5, 3000).filter(
      (one) => one.mood === mood && one.method !== 'GET' && typeof one.body === 'string',
    );
    const fitting = all.filter(({ operationId, body }) => {
      try {
        return schemaIssue(schemaOf.get(operationId)!, JSON.parse(body as string)) === undefined;
      } catch {
        return false;
      }
    });
    return fitting.length / all.length;
  };

  expect(share('valid')).toBe(1);
  expect(share('almost')).toBeLessThan(0.8);
  expect(share('hostile')).toBeLessThan(0.6);
});

test('a request names keys by their labels until it is sent', () => {
  const [text, sent] = [
    requestsOf(1, 300),
    requestsOf(1, 300).map((request) => withKeys(request, tenant)),
  ].map((all) => JSON.stringify(all));

  expect(text).not.toContain('key-of-');
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

test.each<[string, object, RegExp]>([
  [
    'a failure of the service',
    { status: 500, text: '{"error":{"code":"INTERNAL","message":"x"}}' },
    /failed with 500 INTERNAL/,
  ],
  ['a body that is not described', { text: '{"items":[{"id":"1"}]}' }, /does not describe/],
  ['a status that is not described', { status: 418, text: '{}' }, /the status is none of/],
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
    /the status is none of/,
  ],
])('the judge sees %s', (_, fault, problem) => {
  const {
    status = 200,
    text = good.text,
    set = [],
  } = fault as { status?: number; text?: string; set?: [string, string] | [] };
  const headers = new Headers(good.headers);
  if (set.length > 0) headers.set(...(set as [string, string]));

  const { problems } = judge(request, { status, headers, text }, tenant, [stranger]);

  expect(judge(request, good, tenant, [stranger])).toEqual({ outcome: '200', problems: [] });
  expect(problems.join('; ')).toMatch(problem);
});

test('an address with a slash behind it is not an endpoint to the judge', () => {
  const slashed = { ...request, target: '/api/v1/users/?q=1' };
  const notFound = { ...good, status: 404, text: '{"error":{"code":"NOT_FOUND","message":"x"}}' };

  expect(judge(slashed, notFound, tenant, [stranger]).problems).toEqual([]);
  const keyInUrl = { ...good, status: 400, text: '{"error":{"code":"KEY_IN_URL","message":"x"}}' };
  expect(judge(slashed, keyInUrl, tenant, [stranger]).problems).toEqual([]);
  expect(judge(slashed, good, tenant, [stranger]).problems.join()).toMatch(
    /is not an endpoint: 404/,
  );
});
