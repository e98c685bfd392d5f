import type { AnySchemaObject } from 'ajv';
import fc from 'fast-check';
import {
  type FilterField,
  filterFor,
  sampleFields,
  valueFor,
} from '../../shared/leads/random-filters.ts';
import { type DescribedOperation, document, type Json, resolved } from '../../support/described.ts';

/** Requests as `openapi.json` describes them, with values that the sample organization knows. */

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

/** Values that mean something to the organization, by the name of a property or parameter. */
export type Vocabulary = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 24, arbitrary: usual }, { weight: 1, arbitrary: rare });

/** A value that fits the schema. @throws Error for a schema that it cannot read, so that a new one is not passed over */
export function fromSchema(schema: Json, vocabulary: Vocabulary, name = ''): fc.Arbitrary<unknown> {
  const known = Object.hasOwn(vocabulary, name) ? vocabulary[name] : undefined;
  const fitting = fittingValue(resolved<AnySchemaObject>(schema), vocabulary);
  return known ? mostly(known, fitting) : fitting;
}

function fittingValue(schema: AnySchemaObject, vocabulary: Vocabulary): fc.Arbitrary<unknown> {
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const { minimum = -1e6, maximum = 1e6, minItems = 0, maxItems = 4 } = schema;
  const types = [schema.type ?? []].flat();
  const variants = [
    ...(schema.oneOf ?? schema.anyOf ?? []),
    ...(types.length > 1 ? types.map((type) => ({ ...schema, type })) : []),
  ];
  if (variants.length > 0) return fc.oneof(...variants.map((one) => fromSchema(one, vocabulary)));
  switch (schema.type) {
    case 'object':
      return objectFrom(schema, vocabulary);
    case 'array':
      return fc.array(fromSchema(schema.items ?? { type: 'null' }, vocabulary), {
        minLength: minItems,
        maxLength: Math.min(maxItems, 10),
      });
    case 'string':
      return textFrom(schema);
    case 'integer':
      return fc.integer({ min: minimum, max: maximum });
    case 'number':
      return fc.integer({ min: -1e8, max: 1e8 }).map((hundredths) => hundredths / 100);
    case 'boolean':
      return fc.boolean();
    case 'null':
      return fc.constant(null);
    default:
      throw new Error(
        `The generator cannot read ${JSON.stringify(schema)}: extend test/proof/fuzz/valid-requests.ts.`,
      );
  }
}

function objectFrom(
  { properties = {}, required = [], additionalProperties }: AnySchemaObject,
  vocabulary: Vocabulary,
): fc.Arbitrary<object> {
  const own = Object.entries<Json>(properties).map(
    ([name, one]) => [name, fromSchema(one, vocabulary, name)] as const,
  );
  const named = fc.record(Object.fromEntries(own), {
    requiredKeys: [...required],
    noNullPrototype: true,
  });
  if (typeof additionalProperties !== 'object') return named;
  const free = fc.dictionary(
    textFrom({ maxLength: 20 }).map((text) => `x${text}`.slice(0, 20)),
    fromSchema(additionalProperties, vocabulary),
    { maxKeys: 3, noNullPrototype: true },
  );
  return fc.tuple(free, named).map(([others, those]) => ({ ...others, ...those }));
}

const letters = fc.constantFrom(...'abcXYZ019 _-.@+/नमéß', '\u{1F393}');
const printable = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));

function textFrom({
  minLength = 0,
  maxLength = 60,
  format,
  pattern,
}: AnySchemaObject): fc.Arbitrary<string> {
  if (format === 'date-time')
    return fc.nat(2_000_000_000).map((seconds) => new Date(seconds * 1000).toISOString());
  if (pattern !== undefined)
    return fc
      .string({ unit: printable, minLength: Math.max(1, minLength), maxLength })
      .filter((text) => new RegExp(pattern, 'u').test(text));
  const short = fc.string({ unit: letters, minLength, maxLength: Math.min(maxLength, 60) });
  return mostly(short, fc.string({ unit: letters, minLength: maxLength, maxLength }));
}

/** Few people, so that enquiries meet leads that exist. */
const personNumber = fc.nat(39);
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

const fields = sampleFields([7, 8], [1, 3]);
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
  special.get(field.key) ?? byType.get(field.type) ?? valueFor(field).map((value) => value ?? null);

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

export const vocabularyFor = (operationId: string): Vocabulary => ({
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
  cursor: fc.integer({ min: 1, max: 60 }),
  leadId: fc.integer({ min: 1, max: 5 }),
  externalId: visit,
  'Idempotency-Key': visit,
  filter: fc.array(fc.constantFrom(...fields).chain(filterFor), { maxLength: 3 }),
  fields: fieldsOf(operationId),
});

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
      const value = fromSchema(inner ?? schema, vocabularyFor(operationId), name);
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
      json: schema ? fromSchema(schema, vocabularyFor(operationId)) : fc.constant(undefined),
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
