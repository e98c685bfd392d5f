import type { RawRequest } from '../security/raw-request.ts';
import { type DescribedOperation, document, type Json } from '../support/described.ts';
import { fromSchema } from './from-schema.ts';
import { type Draft, spoil } from './mutations.ts';
import type { Random } from './random.ts';
import type { KeyLabel, Tenant } from './tenant.ts';
import { vocabularyFor } from './vocabulary.ts';
import { spoilOnTheWire } from './wire-mutations.ts';

/** Valid: as the document describes it. Almost: that, with one thing wrong. Hostile: that, with several, down to the bytes. */
export type Mood = 'valid' | 'almost' | 'hostile';

/** A request of an episode; the same for the same seed, as it names keys by their labels: `{key:reader}`. */
export interface FuzzRequest extends RawRequest {
  readonly mood: Mood;
  readonly operationId: string;
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    path,
    method: method.toUpperCase(),
    operation,
  })),
);
type Operation = (typeof operations)[number];
/** What changes leads comes more often: there is more to get wrong. */
const weighted = operations.flatMap((one) =>
  Array.from({ length: /leads/.test(one.path) ? 3 : 1 }, () => one),
);

/** The next request of a stream of choices. @param leadIds of leads that are there */
export function nextRequest(random: Random, leadIds: readonly number[]): FuzzRequest {
  const operation = random.pick(weighted);
  const mood: Mood = random.percent(45) ? 'valid' : random.percent(55) ? 'almost' : 'hostile';
  const draft = validDraft(operation, random, leadIds);
  if (mood === 'almost') spoil(draft, random);
  if (mood === 'hostile')
    for (let left = random.integer(1, 3); left > 0; left -= 1) spoilOnTheWire(draft, random);
  return { ...sealed(draft), mood, operationId: operation.operation.operationId };
}

/** A request as the document describes it, for an operation. */
export function validDraft(
  { path, method, operation }: Operation,
  random: Random,
  leadIds: readonly number[] = [],
): Draft {
  const vocabulary = vocabularyFor(operation.operationId === 'capture-lead', leadIds);
  const given = (where: string): [string, string][] =>
    (operation.parameters ?? [])
      .filter((one) => one.in === where && (where === 'path' || random.percent(25)))
      .map(({ name, schema }) => {
        const inner = schema.contentSchema as Json | undefined;
        const value = fromSchema(inner ?? schema, random, vocabulary, name);
        return [name, inner ? JSON.stringify(value) : String(value)];
      });
  const schema = operation.requestBody?.content?.['application/json'].schema;
  return {
    method,
    path: given('path').reduce(
      (whole, [name, value]) => whole.replace(`{${name}}`, encodeURIComponent(value)),
      path,
    ),
    query: given('query').map(([name, value]) => [
      encodeURIComponent(name),
      encodeURIComponent(value),
    ]),
    headers: [
      ['Authorization', `Bearer {key:${keyFor(operation, random)}}`],
      ...(schema
        ? [
            [
              'Content-Type',
              random.pick(['application/json', 'application/json; charset=utf-8']),
            ] as [string, string],
          ]
        : []),
      ...given('header'),
    ],
    json: schema && fromSchema(schema, random, vocabulary),
    raw: undefined,
  };
}

const keyFor = ({ operationId }: DescribedOperation, random: Random): KeyLabel =>
  operationId === 'capture-lead' && random.percent(30) ? 'website' : 'all';

function sealed({ method, path, query, headers, json, raw }: Draft): RawRequest {
  const search = query.map(([name, value]) => `${name}=${value}`).join('&');
  const body = raw ?? (json === undefined ? undefined : JSON.stringify(json));
  return { method, target: search ? `${path}?${search}` : path, headers, body };
}

/** The request with the tenant's keys in the place of their labels. */
export function withKeys<Request extends RawRequest>(request: Request, { keys }: Tenant): Request {
  const filled = (text: string): string =>
    text.replace(/\{key:(\w+)\}/g, (_, label: KeyLabel) => keys[label]);
  return {
    ...request,
    target: filled(request.target),
    headers: request.headers.map(([name, value]) => [name, filled(value)] as const),
    body: typeof request.body === 'string' ? filled(request.body) : request.body,
  };
}
