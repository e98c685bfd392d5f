import type { AnySchemaObject } from 'ajv';
import fc from 'fast-check';
import { type FilterField, filterFor, valueFor } from '../shared/leads/random-filters.ts';
import { type DescribedOperation, document, type Json, resolved } from '../support/described.ts';
import { sampleOrganization } from '../support/settings.ts';

/** Requests with the properties and parameters that `openapi.json` describes, and values that the sample organization knows. */

/** A request while it is being made. Names and values of the query are percent-encoded; keys stand as labels: `{key:reader}`. */
export interface Draft {
  readonly operationId: string;
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  readonly json: unknown;
  /** In the place of `json`. */
  readonly raw?: string | Uint8Array;
}

const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 24, arbitrary: usual }, { weight: 1, arbitrary: rare });
const unit = fc.constantFrom(...'abcXYZ019 _-.@+/नमéß', '\u{1F393}');

/** Few people, so that enquiries meet leads that exist. */
const personNumber = fc.nat(15);
const phone = fc
  .tuple(personNumber, fc.constantFrom('+91', '0', '+91 ', ''))
  .map(([number, prefix]) => `${prefix}${9_820_000_000 + number}`);
const email = fc
  .tuple(personNumber, fc.constantFrom('person', 'PERSON'))
  .map(([number, name]) => `${name}${number}@example.com`);
const name = fc.constantFrom('Asha Rao', 'संगीता कुमार', "O'Neill", 'Ünal 😀', 'A');
const stageId = mostly(fc.constantFrom(11, 12, 21), fc.constant(99));
const pipelineId = mostly(fc.constantFrom(1, 1, 1, 2), fc.constant(99));
const sourceId = mostly(fc.constantFrom(1, 3), fc.constantFrom(4, 99));
const userId = mostly(fc.constantFrom(7, 8), fc.constantFrom(9, 99));
const visit = fc.integer({ min: 1, max: 30 }).map((number) => `visit-${number}`);

const ids = { user: [7, 8], lead_source: [1, 3] };
const fields: readonly FilterField[] = sampleOrganization()
  .fields.filter(({ active }) => active)
  .map(({ key, type, options }) => ({ key, type, options: options.map(({ value }) => value) }));
const special = new Map<string, fc.Arbitrary<unknown>>([
  ['name', name],
  ['phone', phone],
  ['email', email],
  ['source', sourceId],
  ['assigned_to', userId],
]);
const byType = new Map<string, fc.Arbitrary<unknown>>([
  ['phone', phone],
  ['email', email],
  ['url', fc.constantFrom('https://example.com/a?b=c', 'http://example.org')],
]);
const valueOf = (field: FilterField): fc.Arbitrary<unknown> =>
  special.get(field.key) ??
  byType.get(field.type) ??
  valueFor(field, ids).map((value) => value ?? null);

/** A capture names the person beside `fields`, not in it; a create names them there. */
function fieldsOf(operationId: string): fc.Arbitrary<object> {
  const own = fields.filter(({ key }) => operationId !== 'capture-lead' || !special.has(key));
  const few = fc
    .subarray(own, { maxLength: 5 })
    .chain((some) =>
      fc.record(Object.fromEntries(some.map((field) => [field.key, valueOf(field)]))),
    );
  const named = operationId === 'create-lead' ? fc.record({ name, phone }) : fc.constant({});
  return fc.tuple(named, few).map(([person, others]) => ({ ...others, ...person }));
}

/** Values that mean something to the organization, by the name of a property or parameter. */
const vocabularyFor = (operationId: string): Readonly<Record<string, fc.Arbitrary<unknown>>> => ({
  name,
  phone,
  email,
  source: fc.constantFrom('Website', 'facebook ads', 'Old fair', 'nobody knows'),
  stageId,
  stage_id: stageId,
  pipelineId,
  pipeline_id: pipelineId,
  source_id: sourceId,
  owner_id: userId,
  limit: fc.integer({ min: 1, max: 100 }),
  cursor: fc.integer({ min: 1, max: 60 }),
  updated_since: fc.nat(2_000_000_000).map((seconds) => new Date(seconds * 1000).toISOString()),
  leadId: fc.integer({ min: 1, max: 5 }),
  externalId: visit,
  'Idempotency-Key': visit,
  filter: fc.array(
    fc.constantFrom(...fields).chain((field) => filterFor(field, ids)),
    { maxLength: 3 },
  ),
  fields: fieldsOf(operationId),
});

const texts = (minLength: number, maxLength: number) => fc.string({ unit, minLength, maxLength });
const freeFields = fc.dictionary(
  texts(0, 19).map((text) => `x${text}`),
  fc.oneof(texts(0, 60), fc.integer(), fc.boolean(), fc.constant(null), fc.array(texts(0, 60))),
  { maxKeys: 3, noNullPrototype: true },
);

/** Values that the organization need not know; undefined for a schema that says more than a type and its bounds. */
function foreignValues(schema: AnySchemaObject): fc.Arbitrary<unknown> | undefined {
  const { type, minimum, maximum, minLength = 0, maxLength = 60 } = schema;
  if (type === 'integer') return fc.integer({ min: minimum, max: maximum });
  if (type === 'object' && schema.additionalProperties) return freeFields;
  if (type !== 'string' || schema.enum || schema.format || schema.pattern) return undefined;
  return mostly(texts(minLength, Math.min(maxLength, 60)), texts(maxLength, maxLength));
}

/**
 * Values of a property or parameter: those in the vocabulary and a few others; without a vocabulary, text of the described length or an
 * object whose properties have values.
 * @throws Error for a property or parameter that needs values of its own
 */
export function valuesOf(
  operationId: string,
  name: string,
  described: Json,
): fc.Arbitrary<unknown> {
  const known = vocabularyFor(operationId)[name];
  const schema = resolved<AnySchemaObject>(described);
  const foreign = foreignValues(schema);
  if (known) return foreign ? mostly(known, foreign) : known;
  const { type, properties, required = [] } = schema;
  if (type === 'string' && foreign) return foreign;
  if (!properties) throw new Error(`Add values of ${name} to test/fuzz/valid-requests.ts.`);
  const own = Object.entries<Json>(properties).map(
    ([key, one]) => [key, valuesOf(operationId, key, one)] as const,
  );
  const options = { requiredKeys: [...required], noNullPrototype: true };
  return fc.record(Object.fromEntries(own), options);
}

const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
);

/** The parameters of an operation in one place of a request, each present a third of the time; those of the path always. */
function parametersOf(
  { operationId, parameters = [] }: DescribedOperation,
  place: string,
): fc.Arbitrary<[string, string][]> {
  const all = parameters
    .filter((one) => one.in === place)
    .map(({ name, schema }) => {
      const inner = schema.contentSchema as Json | undefined;
      const value = valuesOf(operationId, name, inner ?? schema);
      const text = value.map((one): [string, string] => [
        name,
        inner ? JSON.stringify(one) : String(one),
      ]);
      const absent = { weight: place === 'path' ? 0 : 3, arbitrary: fc.constant(null) };
      return fc.oneof(absent, { weight: 1, arbitrary: text });
    });
  return fc.tuple(...all).map((given) => given.filter((one) => one !== null));
}

function validRequest({
  path,
  method,
  operation,
}: (typeof operations)[number]): fc.Arbitrary<Draft> {
  const { operationId, requestBody } = operation;
  const schema = requestBody?.content?.['application/json'].schema;
  const keys = operationId === 'capture-lead' ? ['all', 'website'] : ['all'];
  return fc
    .record({
      key: fc.constantFrom(...keys),
      type: fc.constantFrom('application/json', 'application/json; charset=utf-8'),
      inPath: parametersOf(operation, 'path'),
      query: parametersOf(operation, 'query'),
      headers: parametersOf(operation, 'header'),
      json: schema ? valuesOf(operationId, 'body', schema) : fc.constant(undefined),
    })
    .map(({ key, type, inPath, query, headers, json }) => ({
      operationId,
      method: method.toUpperCase(),
      path: inPath.reduce(
        (whole, [name, value]) => whole.replace(`{${name}}`, encodeURIComponent(value)),
        path,
      ),
      query: query.map(([name, value]) => [name, encodeURIComponent(value)] as const),
      headers: [
        ['Authorization', `Bearer {key:${key}}`] as const,
        ...(schema ? [['Content-Type', type] as const] : []),
        ...headers,
      ],
      json,
    }));
}

/** Operations on leads are more frequent: there is more to get wrong. */
export const validRequests = fc.oneof(
  ...operations.map((one) => ({
    weight: one.path.includes('leads') ? 3 : 1,
    arbitrary: validRequest(one),
  })),
);
