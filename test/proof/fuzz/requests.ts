import fc from 'fast-check';
import {
  anyJson,
  damages,
  define,
  hostileJson,
  hostileText,
  inheritedNames,
} from '../../support/generated/hostile.ts';
import type { SentRequest } from './send.ts';
import type { KeyLabel, Tenant } from './tenant.ts';
import { type Draft, validRequests } from './valid-requests.ts';

/** A request of an episode; the same for the same seed, as it names keys by their labels: `{key:reader}`. */
export interface FuzzRequest extends SentRequest {
  readonly endpoint: string;
  /** Nothing is wrong with it, except for what the organization's settings refuse. */
  readonly isValid: boolean;
}

/** Makes one thing wrong; leaves a request as it is that has no such thing. */
type Change = (draft: Draft) => Draft;

/** Changes made by one of the values. */
const changes = <Value>(
  values: fc.Arbitrary<Value>,
  change: (draft: Draft, value: Value) => Partial<Draft>,
): fc.Arbitrary<Change> =>
  values.map((value) => (draft) => ({ ...draft, ...change(draft, value) }));

/** Every place in a JSON value where another could stand: the object or list, and the key or index in it. */
function placesIn(value: unknown, depth = 0): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null || depth > 20) return [];
  const own = value as Record<string, unknown>;
  return Object.keys(own).flatMap((key): [Record<string, unknown>, string][] => [
    [own, key],
    ...placesIn(own[key], depth + 1),
  ]);
}

/** Changes a copy of the body at one of its places. */
function inBody(
  at: number,
  change: (holder: Record<string, unknown>, key: string, json: unknown) => void,
): Change {
  return (draft) => {
    const json = structuredClone(draft.json);
    const places = placesIn(json);
    const [holder, key] = places[at % places.length] ?? [];
    if (!holder || key === undefined) return draft;
    change(holder, key, json);
    return { ...draft, json };
  };
}
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
const names = fc.oneof(
  fc.constantFrom(...inheritedNames, 'stage_id', 'Name', 'archived', 'old_notes', 'x'.repeat(65)),
  hostileText,
);
const oddNumbers = ['0', '-1', '01', '1.0', '2147483647', '2147483648', 'NaN', '١', '', ' 1', '+1'];
const filterOf = (place: string, json: string): string =>
  `[{${Object.entries({ field: '"name"', operator: '"contains"', value: '"x"', [place]: json })
    .map(([name, value]) => `"${name}":${value}`)
    .join(',')}}]`;
const queryValues = fc.oneof(
  fc.constantFrom(...oddNumbers, '101', '2026-02-30T00:00:00Z', '2026-01-01', '[null]'),
  fc.constantFrom('['.repeat(7999), `[${'{"field":"city","operator":"is_empty"},'.repeat(10)}1]`),
  fc
    .tuple(fc.constantFrom('field', 'operator', 'value', 'values'), hostileJson)
    .map(([place, json]) => filterOf(place, json.slice(0, 8000))),
  hostileText,
);
const parameters = [
  ...['limit', 'cursor', 'updated_since', 'stage_id', 'owner_id', 'filter', 'filter', 'filter'],
  ...['Limit', 'limit[]', 'offset', 'q', 'token', 'api_key', '__proto__', '%00', '%ff'],
];
const withHeader = (
  { headers }: Draft,
  [name, value]: readonly [string, string],
): Partial<Draft> => ({
  headers: [
    ...headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase()),
    [name, value],
  ],
});
const authorizations = [
  ...['reader', 'writer', 'website', 'expired', 'all}, Bearer {key:all'].map(
    (label) => `Bearer {key:${label}}`,
  ),
  ...['Bearer', 'Bearer x', 'Basic e2tleTphbGx9Og==', '{key:all}', 'Bearer\t{key:all}'],
  `Bearer ${'x'.repeat(9000)}`,
  `Bearer leads_live_${'0'.repeat(10)}_${'0'.repeat(49)}`,
].map((value) => ['Authorization', value] as const);
const oddHeaders = [
  ...['text/plain', 'application/json; charset=utf-16', ''].map(
    (type) => ['Content-Type', type] as const,
  ),
  ...['', 'x'.repeat(200), 'x'.repeat(201), 'é', '__proto__'].map(
    (key) => ['Idempotency-Key', key] as const,
  ),
  ...['http', 'https, http', 'ftp'].map((scheme) => ['X-Forwarded-Proto', scheme] as const),
];
/** Not an empty one: the document does not describe an address with a slash behind it. */
const oddIds = [
  ...oddNumbers.filter(Boolean).map(encoded),
  '%31',
  '%2e%2e',
  '%00',
  '%ff',
  '%',
  'capture',
  '1;a=b',
];
const place = fc.nat(1000);

const inBodies: fc.Arbitrary<Change> = fc.oneof(
  fc
    .tuple(place, fc.oneof(anyJson, hostileText))
    .map(([at, value]) => inBody(at, (holder, key) => define(holder, key, value))),
  fc
    .tuple(place, names, fc.constantFrom(1, 'x', null, { a: 1 }))
    .map(([at, name, value]) =>
      inBody(at, (holder, _, json) =>
        define(at % 2 && !Array.isArray(holder) ? holder : (json as object), name, value),
      ),
    ),
  place.map((at) =>
    inBody(at, (holder, key) => {
      delete holder[key];
    }),
  ),
);
/** What a programmer may do wrong. */
const mistakes: fc.Arbitrary<Change> = fc.oneof(
  { weight: 3, arbitrary: inBodies },
  changes(
    fc.tuple(fc.constantFrom(...parameters), queryValues, fc.constantFrom(1, 2)),
    ({ query }, [name, value, times]) => ({
      // A request line of more than a server reads is answered by no endpoint.
      query: [...query, ...Array(times).fill([name, encoded(value).slice(0, 25_000)])],
    }),
  ),
  changes(fc.constantFrom(...oddIds), ({ path }, id) => ({
    path: path.replace(/leads\/\d+/, `leads/${id}`),
  })),
  { weight: 2, arbitrary: changes(fc.constantFrom(...authorizations), withHeader) },
  { weight: 2, arbitrary: changes(fc.constantFrom(...oddHeaders), withHeader) },
);

const textOf = ({ json, raw }: Draft): string =>
  raw === undefined ? JSON.stringify(json ?? {}) : Buffer.from(raw).toString();
/** Stands for JSON text that no value of JavaScript is written as. */
const mark = '\u0001raw\u0001';
const wireBodies: fc.Arbitrary<Change> = fc.oneof(
  changes(fc.tuple(fc.constantFrom(...damages), place), (draft, [damage, at]) => {
    const text = textOf(draft);
    return { raw: damage(text, at % (text.length + 1)) };
  }),
  changes(hostileJson, (_, raw) => ({ raw })),
  changes(fc.tuple(place, hostileJson), (draft, [at, json]) => {
    const marked = inBody(at, (holder, key) => define(holder, key, mark))(draft);
    return { raw: textOf(marked).replace(JSON.stringify(mark), () => json) };
  }),
);
const wireHeaders: readonly (readonly (readonly [string, string])[])[] = [
  [['authorization', 'Bearer {key:reader}']],
  [['content-type', 'application/json']],
  [
    ['Idempotency-Key', 'a'],
    ['idempotency-key', 'b'],
  ],
  [['X-HTTP-Method-Override', 'DELETE']],
  [['X-Original-URL', '/api/v1/users']],
  [['__proto__', 'x']],
  [['Expect', '100-continue']],
  [['Cookie', 'a=b; '.repeat(2000)]],
  [['Origin', 'https://example.org']],
  [['Accept-Encoding', 'gzip, br']],
  [['Range', 'bytes=0-1']],
  [['X-Request-Id', 'mine']],
  [['X-Bytes', '\u00ff\u00fe\u0080']],
];
const methods = ['PUT', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'FOO'];
const paths: readonly ((path: string) => string)[] = [
  ...['//', '%2f', '%00', ';jsessionid=1', '#fragment', '/{key:all}'].map(
    (end) => (path: string) => `${path}${end}`,
  ),
  (path) => `/${path}`,
  (path) => path.toUpperCase(),
  (path) => path.replace('leads', '%6ceads'),
  (path) => path.replace('/v1', '/v1/../v1'),
  (path) => `http://user:{key:all}@evil.example${path}`,
  (path) => `${path}/${'a/'.repeat(200)}`,
  ...['/', '/api/v1/leads/%ff', '/api/v1/leads/{key:all}', '/api/v1/__proto__'].map(
    (other) => () => other,
  ),
];
const queries: readonly (readonly [string, string])[] = [
  ['filter', '%'],
  ['filter', '%5B%ff%5D'],
  ['q', '{key:all}'],
  ['{key:reader}', ''],
  ['&&&', '&=&'],
  ['a', '?b=c'],
  ['cursor', '+5'],
  ['x', 'y'.repeat(60_000)],
  ['a=1&'.repeat(2000), ''],
];
/** Requests that no client library would send. The gateway's own tests send what is not even HTTP. */
const attacks: fc.Arbitrary<Change> = fc.oneof(
  mistakes,
  { weight: 4, arbitrary: wireBodies },
  {
    weight: 2,
    arbitrary: changes(fc.constantFrom(100_001, 120_000), (draft, length) => ({
      raw: textOf(draft).padEnd(length),
    })),
  },
  changes(fc.constantFrom(...methods), (_, method) => ({ method })),
  changes(fc.constantFrom(...paths), ({ path }, odd) => ({ path: odd(path) })),
  changes(fc.constantFrom(...wireHeaders), ({ headers }, more) => ({
    headers: [...headers, ...more],
  })),
  changes(fc.constantFrom(...queries), ({ query }, more) => ({ query: [...query, more] })),
);

const requestsWith = (all: fc.Arbitrary<Change[]>): fc.Arbitrary<FuzzRequest> =>
  fc.tuple(validRequests, all).map(([valid, some]) => {
    const draft = some.reduce((so, change) => change(so), valid);
    const search = draft.query.map(([name, value]) => `${name}=${value}`).join('&');
    const { endpoint, method, path, headers, json, raw } = draft;
    return {
      endpoint,
      isValid: some.length === 0,
      method,
      target: search ? `${path}?${search}` : path,
      headers,
      body: raw ?? (json === undefined ? undefined : JSON.stringify(json)),
    };
  });
/** Valid by the schemas; almost, with one mistake; hostile, with several, down to the bytes. */
export const fuzzRequests = fc.oneof(
  { weight: 5, arbitrary: requestsWith(fc.constant([])) },
  { weight: 3, arbitrary: requestsWith(fc.tuple(mistakes)) },
  { weight: 3, arbitrary: requestsWith(fc.array(attacks, { minLength: 1, maxLength: 3 })) },
);

/** The request with the tenant's keys in the place of their labels. */
export function withKeys<Request extends SentRequest>(request: Request, { keys }: Tenant): Request {
  const filled = (text: string): string =>
    text.replace(/\{key:(\w+)\}/g, (_, label: KeyLabel) => keys[label]);
  return {
    ...request,
    target: filled(request.target),
    headers: request.headers.map(([name, value]) => [name, filled(value)] as const),
    body: typeof request.body === 'string' ? filled(request.body) : request.body,
  };
}
