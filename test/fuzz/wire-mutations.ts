import { damagedJson, hostileJson, inheritedNames } from './hostile.ts';
import { type Draft, type Mutation, placesIn, spoil } from './mutations.ts';
import type { Random } from './random.ts';

/** Makes something wrong that no client library would send. */
export function spoilOnTheWire(draft: Draft, random: Random): void {
  const mutations: readonly Mutation[] = [
    spoil,
    rawValue,
    rawValue,
    damagedBody,
    otherBody,
    oddMethod,
    oddPath,
    oddHeaders,
    oddQuery,
  ];
  random.pick(mutations)(draft, random);
}

const damagedBody: Mutation = (draft, random) => {
  draft.raw = damagedJson(random, textOf(draft));
};
const otherBody: Mutation = (draft, random) => {
  const few = ['null', '{}', '[]', '', '{"fields":{}}', '{"fields":{"__proto__":{"name":"x"}}}'];
  draft.raw = random.percent(50) ? hostileJson(random) : random.pick(few);
};

const textOf = ({ json, raw }: Draft): string =>
  raw === undefined ? JSON.stringify(json ?? {}) : Buffer.from(raw).toString();

/** Stands for JSON text that no value of JavaScript is written as. */
const mark = '\u0001raw\u0001';
const rawValue: Mutation = (draft, random) => {
  const places = placesIn(draft.json);
  if (places.length === 0 || draft.raw !== undefined) {
    draft.raw = hostileJson(random);
    return;
  }
  const [holder, key] = random.pick(places);
  holder[key] = mark;
  const text = JSON.stringify(draft.json).replace(JSON.stringify(mark), () => hostileJson(random));
  // A property that stands twice: the last one counts.
  draft.raw = random.percent(20)
    ? text.replace('{', () => `{${JSON.stringify(key)}:${hostileJson(random)},`)
    : text;
};

const oddHeaders: Mutation = (draft, random) => {
  draft.headers.push(
    ...random.pick<[string, string][]>([
      [['authorization', 'Bearer {key:reader}']],
      [['AUTHORIZATION', 'Bearer x']],
      [['Content-Type', 'text/plain']],
      [['content-type', 'application/json']],
      [
        ['Idempotency-Key', 'a'],
        ['idempotency-key', 'b'],
      ],
      [['X-HTTP-Method-Override', 'DELETE']],
      [['X-Original-URL', '/api/v1/users']],
      [['__proto__', 'x']],
      [['constructor', 'x']],
      [['Expect', '100-continue']],
      [['Cookie', 'a=b; '.repeat(2000)]],
      [['Origin', 'https://example.org']],
      [['Accept', 'text/html']],
      [['Accept-Encoding', 'gzip, br']],
      [['Range', 'bytes=0-1']],
      [['If-None-Match', '*']],
      [['X-Request-Id', 'mine']],
      [['X-Amzn-Trace-Id', 'Root=1']],
      [['X-Bytes', '\u00ff\u00fe\u0080']],
      [['Bad Name', 'x']],
      [['X-Null', 'a\u0000b']],
      [['Content-Length', '0']],
      [['Content-Length', '-1']],
      [['Host', 'evil.example']],
      [['', '']],
    ]),
  );
};

const oddMethod: Mutation = (draft, random) => {
  draft.method = random.pick([
    'GET',
    'POST',
    'PATCH',
    'PUT',
    'DELETE',
    'HEAD',
    'OPTIONS',
    'TRACE',
    'PROPFIND',
    'QUERY',
    'get',
    'FOO',
    'G E T',
  ]);
};

const oddPath: Mutation = (draft, random) => {
  const { path } = draft;
  draft.path = random.pick([
    `${path}/`,
    `${path}//`,
    `/${path}`,
    path.toUpperCase(),
    path.replace('leads', '%6ceads'),
    path.replace('/v1', '/v1/.'),
    path.replace('/v1', '/v1/../v1'),
    `${path}%2f`,
    `${path}%00`,
    `${path};jsessionid=1`,
    `${path}#fragment`,
    `http://evil.example${path}`,
    `http://user:{key:all}@evil.example${path}`,
    path.replaceAll('/', '\\'),
    `${path}/{key:all}`,
    `${path}/${'a/'.repeat(200)}`,
    `${path}\u00e9`,
    '*',
    '/',
    '',
    '/api/v1/leads/%ff',
    '/api/v1/leads/{key:all}',
    '/api/v1/__proto__',
  ]);
};

const oddQuery: Mutation = (draft, random) => {
  draft.query.push(
    random.pick<[string, string]>([
      ['filter', '%'],
      ['filter', '%5B%ff%5D'],
      ['q', '{key:all}'],
      ['{key:reader}', ''],
      ['limit', '5&limit'],
      ['&&&', '&=&'],
      ['a', '?b=c'],
      ['limit', '%2535'],
      ['cursor', '+5'],
      ['updated_since', '2026-01-01T00:00:00+00:00'],
      ['x', 'y'.repeat(60_000)],
      ...Array.from({ length: 2 }, (): [string, string] => [random.pick(inheritedNames), '1']),
      ['a=1&'.repeat(2000), ''],
    ]),
  );
};
