import fc from 'fast-check';
import * as v from 'valibot';
import { type Endpoint, type EndpointName, endpoints } from '../../../shared/contract/endpoints.ts';
import type { Schemas } from '../../../shared/middleware/input.ts';
import {
  type FilterField,
  filterFor,
  sampleFields,
  valueFor,
} from '../../shared/leads/random-filters.ts';

/** Requests that the functions' own schemas accept, with values that the sample organization knows. */

/** A request while it is being made. Names and values of the query are percent-encoded; keys stand as labels: `{key:reader}`. */
export interface Draft {
  readonly endpoint: EndpointName;
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: readonly (readonly [string, string])[];
  readonly json: unknown;
  /** In the place of `json`. */
  readonly raw?: string | Uint8Array;
}

/** Values that mean something to the organization, by the name of a property or parameter. */
type Vocabulary = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const mostly = <T>(usual: fc.Arbitrary<T>, rare: fc.Arbitrary<T>): fc.Arbitrary<T> =>
  fc.oneof({ weight: 24, arbitrary: usual }, { weight: 1, arbitrary: rare });

const letters = fc.constantFrom(...'aZ9 -.@+/éßनमİ\u0301\u200d\u{1F393}\u{1F9D1}');
const text = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  mostly(
    fc.string({ unit: letters, minLength, maxLength: Math.min(maxLength, 60) }),
    fc.string({ unit: letters, minLength: maxLength, maxLength }),
  );
const fieldValue = fc.oneof(
  text(0, 60),
  fc.integer({ min: -1e8, max: 1e8 }).map((hundredths) => hundredths / 100),
  fc.constantFrom(true, false, null),
  fc.array(text(0, 60), { maxLength: 4 }),
);
const dateTime = fc.nat(2_000_000_000).map((seconds) => new Date(seconds * 1000).toISOString());

/** A schema, or a step of its pipe. */
interface Part {
  readonly type: string;
  readonly requirement?: unknown;
  readonly metadata?: object;
  readonly entries?: Readonly<Record<string, v.GenericSchema>>;
  readonly wrapped?: v.GenericSchema;
  readonly pipe?: readonly Part[];
}

/** What a schema and the steps of its pipe require, each under its type. */
interface Requirements
  extends Pick<Part, 'entries'>,
    Partial<Record<'min_value' | 'max_value' | 'minLength' | 'maxLength', number>>,
    Partial<Record<'string' | 'array' | 'additionalProperties' | 'format', unknown>> {
  readonly object?: Part['entries'];
  readonly propertyNames?: { readonly maxLength?: number };
  readonly regex?: RegExp;
}

const stepsOf = (part: Part): readonly Part[] => part.pipe?.flatMap(stepsOf) ?? [part];
const requirementsOf = ({ type, requirement, metadata, entries = {} }: Part): object => ({
  [type]: requirement ?? entries,
  ...metadata,
});

/**
 * A value that the schema accepts, its bounds now and then. An optional property is there half of the time.
 * @throws Error for a schema that it cannot read, so that a new one is not passed over
 */
export function fitting(schema: v.GenericSchema, known: Vocabulary = {}): fc.Arbitrary<unknown> {
  const { wrapped }: Part = schema;
  if (wrapped) return fitting(wrapped, known);
  const said: Requirements = Object.assign({}, ...stepsOf(schema).map(requirementsOf));
  const entries = said.entries ?? said.object;
  if (entries) {
    const own = Object.entries(entries).map(([name, entry]): [string, fc.Arbitrary<unknown>] => {
      const any = fitting(entry, known);
      return [name, known[name] ? mostly(known[name], any) : any];
    });
    const requiredKeys = Object.keys(entries).filter((name) => entries[name]?.type !== 'optional');
    return fc.record(Object.fromEntries(own), { requiredKeys, noNullPrototype: true });
  }
  if (said.max_value) {
    const { min_value: min = 0, max_value: max } = said;
    const number = mostly(fc.integer({ min, max }), fc.constantFrom(min, max));
    return said.string ? number.map(String) : number;
  }
  if (said.maxLength) return text(said.minLength ?? 0, said.maxLength);
  if (said.additionalProperties)
    return fc.dictionary(text(1, said.propertyNames?.maxLength ?? 60), fieldValue, { maxKeys: 3 });
  if (said.format === 'date-time') return dateTime;
  if (said.array) return fc.constant('[]');
  if (said.regex) return fc.stringMatching(said.regex);
  throw new Error(
    `No generator reads ${JSON.stringify(said)}: extend test/proof/fuzz/valid-requests.ts.`,
  );
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
/** Maps, because a field may have the name of an inherited property. */
const arbitraries = (known: Vocabulary) => new Map(Object.entries(known));
const special = arbitraries({ name, phone, email, source: sourceId, assigned_to: userId });
const byType = arbitraries({
  phone,
  email,
  url: fc.constantFrom('https://example.com/a?b=c', 'http://example.org'),
});
const valueOf = (field: FilterField): fc.Arbitrary<unknown> =>
  special.get(field.key) ?? byType.get(field.type) ?? valueFor(field).map((value) => value ?? null);

/** A capture names the person beside `fields`, not in it; a create names them there. */
function fieldsOf(endpoint: EndpointName): fc.Arbitrary<object> {
  const own = fields.filter(({ key }) => endpoint !== 'capture-lead' || !special.has(key));
  const few = fc
    .subarray(own, { maxLength: 5 })
    .chain((some) =>
      fc.record(Object.fromEntries(some.map((field) => [field.key, valueOf(field)]))),
    );
  const named = endpoint === 'create-lead' ? fc.record({ name, phone }) : fc.constant({});
  return fc.tuple(named, few).map(([person, others]) => ({ ...others, ...person }));
}

export const vocabularyFor = (endpoint: EndpointName): Vocabulary => ({
  name,
  phone,
  email,
  source: fc.constantFrom('Website', 'facebook ads', 'Old fair', 'nobody knows'),
  stageId,
  stage_id: stageId.map(String),
  pipelineId,
  pipeline_id: pipelineId.map(String),
  source_id: sourceId.map(String),
  owner_id: userId.map(String),
  cursor: fc.integer({ min: 1, max: 60 }).map(String),
  leadId: fc.integer({ min: 1, max: 5 }).map(String),
  externalId: visit,
  'idempotency-key': visit,
  filter: fc
    .array(fc.constantFrom(...fields).chain(filterFor), { maxLength: 3 })
    .map((filters) => JSON.stringify(filters)),
  fields: fieldsOf(endpoint),
});

type Row = readonly [Endpoint & { readonly name: EndpointName }, Schemas];

/** The schemas by which the function of each endpoint reads a request. */
export const schemasByEndpoint: readonly Row[] = await Promise.all(
  endpoints.map(
    async (row): Promise<Row> => [row, await import(`../../../functions/${row.name}/handler.ts`)],
  ),
);

const few = (values: object): fc.Arbitrary<[string, string][]> =>
  fc.subarray(Object.entries(values)).map((some) => some.slice(0, 3));

function validRequest([{ name, method, path }, schemas]: Row): fc.Arbitrary<Draft> {
  const known = vocabularyFor(name);
  const part = (schema: v.GenericSchema = v.object({})): fc.Arbitrary<object> =>
    fitting(schema, known) as fc.Arbitrary<object>;
  return fc
    .record({
      key: fc.constantFrom('all', name === 'capture-lead' ? 'website' : 'all'),
      type: fc.constantFrom('application/json', 'application/json; charset=utf-8'),
      inPath: part(schemas.path),
      query: part(schemas.query).chain(few),
      headers: part(schemas.headers).chain(few),
      json: schemas.body ? part(schemas.body) : fc.constant(undefined),
    })
    .map(({ key, type, inPath, query, headers, json }) => ({
      endpoint: name,
      method,
      path: path.replace('{leadId}', (inPath as { leadId?: string }).leadId ?? ''),
      query: query.map(([name, value]) => [name, encodeURIComponent(value)] as const),
      headers: [
        ['Authorization', `Bearer {key:${key}}`] as const,
        ...(json ? [['Content-Type', type] as const] : []),
        ...headers,
      ],
      json,
    }));
}

/** Endpoints of leads are more frequent: there is more to get wrong. */
export const validRequests = fc.oneof(
  ...schemasByEndpoint.map((row) => ({
    weight: row[0].path.includes('leads') ? 3 : 1,
    arbitrary: validRequest(row),
  })),
);
