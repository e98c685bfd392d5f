import { hostileJson, hostileObjects, hostileText, inheritedNames } from './hostile.ts';
import type { Random } from './random.ts';

/** A request while it is being made. Names and values of the query are percent-encoded already. */
export interface Draft {
  method: string;
  path: string;
  query: [string, string][];
  headers: [string, string][];
  json: unknown;
  /** In the place of `json`. */
  raw: string | Uint8Array | undefined;
}
export type Mutation = (draft: Draft, random: Random) => void;

/** Makes one thing wrong that a programmer might. */
export function spoil(draft: Draft, random: Random): void {
  const fitting = [
    ...(draft.json === undefined ? [] : [spoilValue, spoilValue, addProperty, dropProperty]),
    ...(draft.method === 'GET' ? [spoilQuery, repeatParameter, addParameter] : []),
    ...(/\d/.test(draft.path.replace('/v1', '')) ? [spoilLeadId] : []),
    spoilKey,
    spoilHeader,
  ];
  random.pick(fitting)(draft, random);
}

/** Every place in a JSON value where another could stand: the object or list, and the key or index in it. */
export function placesIn(value: unknown): [Record<string, unknown>, string][] {
  if (typeof value !== 'object' || value === null) return [];
  const own = value as Record<string, unknown>;
  return Object.keys(own).flatMap((key): [Record<string, unknown>, string][] => [
    [own, key],
    ...placesIn(own[key]),
  ]);
}

const spoilValue: Mutation = (draft, random) => {
  const places = placesIn(draft.json);
  if (places.length === 0) return addProperty(draft, random);
  const [holder, key] = random.pick(places);
  holder[key] = random.pick<unknown>([
    null,
    '',
    0,
    -1,
    1.5,
    2_147_483_648,
    true,
    [],
    {},
    [null],
    [[]],
    ['a', 1],
    { a: 1 },
    '12',
    hostileText(random),
    hostileText(random),
    hostileText(random),
    [hostileText(random)],
    JSON.parse(random.pick(hostileObjects)),
    JSON.parse(random.pick(hostileObjects)),
  ]);
};

const addProperty: Mutation = (draft, random) => {
  const objects = [draft.json, ...placesIn(draft.json).map(([holder, key]) => holder[key])];
  const holder = random.pick(
    objects.filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one)),
  );
  const key = random.pick([
    ...inheritedNames,
    'stage_id',
    'Name',
    'id',
    'archived',
    'leadId',
    'old_notes',
    'x'.repeat(65),
    hostileText(random),
  ]);
  // Assigned, `__proto__` would be no property.
  Object.defineProperty(holder, key, {
    value: random.pick([1, 'x', null, { a: 1 }, ['x']]),
    enumerable: true,
    configurable: true,
    writable: true,
  });
};

const dropProperty: Mutation = (draft, random) => {
  const places = placesIn(draft.json);
  if (places.length === 0) return addProperty(draft, random);
  const [holder, key] = random.pick(places);
  delete holder[key];
};

const numbersInAddresses = [
  '0',
  '-1',
  '01',
  '1.0',
  '1e1',
  '2147483647',
  '2147483648',
  '99999999999999999999',
  'NaN',
  'null',
  '١',
  '',
  ' 1',
  '1 ',
  '0x1',
  '+1',
];

/** A filter with any JSON in one of its places. */
function spoiledFilter(random: Random): string {
  const places = {
    field: '"name"',
    operator: '"contains"',
    [random.pick(['value', 'values'])]: random.pick(['"x"', '["x"]']),
    [random.pick(['field', 'operator', 'value', 'values'])]: hostileJson(random, 1),
  };
  return `[{${Object.entries(places).map(([name, json]) => `"${name}":${json}`)}}]`;
}

const spoilQuery: Mutation = (draft, random) => {
  const parameters = [
    'limit',
    'cursor',
    'updated_since',
    'stage_id',
    'pipeline_id',
    'source_id',
    'owner_id',
    'filter',
  ];
  const name =
    draft.query.length > 0 && random.percent(50)
      ? random.pick(draft.query)[0]
      : random.pick(parameters);
  const value = random.pick([
    ...numbersInAddresses,
    '101',
    '2026-02-30T00:00:00Z',
    '2026-01-01',
    '2026-01-01T00:00:00+05:30',
    '[{"field":"name","operator":"contains"}]',
    '[{"field":"__proto__","operator":"is_empty"}]',
    '[{"field":"city","operator":"constructor","value":"x"}]',
    '[{"field":"budget","operator":"between","values":[1]}]',
    '[null]',
    `[${'{"field":"city","operator":"is_empty"},'.repeat(10)}{"field":"city","operator":"is_empty"}]`,
    wellFormed(hostileText(random)),
    wellFormed(spoiledFilter(random)),
    wellFormed(spoiledFilter(random)),
    '['.repeat(7999),
    `[{"field":"name","operator":${'['.repeat(3900)}${']'.repeat(3900)}}]`,
  ]);
  draft.query = [
    ...draft.query.filter(([known]) => known !== name),
    [name, encodeURIComponent(value)],
  ];
};

const repeatParameter: Mutation = (draft, random) => {
  const again =
    draft.query.length > 0 ? random.pick(draft.query) : (['limit', '5'] as [string, string]);
  draft.query.push(again, [again[0], random.pick(['1', again[1]])]);
};

const addParameter: Mutation = (draft, random) => {
  const names = [
    ...inheritedNames,
    'Limit',
    'limit[]',
    'offset',
    'q',
    'token',
    'api_key',
    'stageId',
    '',
    '%00',
    '%F0%9F%8E%93',
    '%ff',
  ];
  draft.query.push([random.pick(names), encodeURIComponent(wellFormed(hostileText(random)))]);
};

const spoilLeadId: Mutation = (draft, random) => {
  const id = random.pick([
    ...numbersInAddresses.map(encodeURIComponent),
    '%31',
    '%2e%2e',
    '%00',
    '%ff',
    '%',
    'capture',
    '__proto__',
    '1;a=b',
    '1%2F2',
  ]);
  draft.path = draft.path.replace(/leads\/[^/]+/, `leads/${id}`);
};

const setHeader = (draft: Draft, name: string, value: string): void => {
  draft.headers = [
    ...draft.headers.filter(([known]) => known.toLowerCase() !== name.toLowerCase()),
    [name, value],
  ];
};

const spoilKey: Mutation = (draft, random) => {
  const value = random.pick([
    'Bearer {key:reader}',
    'Bearer {key:writer}',
    'Bearer {key:website}',
    'Bearer {key:expired}',
    'Bearer',
    'Bearer x',
    'Basic e2tleTphbGx9Og==',
    '{key:all}',
    'Bearer {key:all}, Bearer {key:all}',
    'Bearer  {key:all} ',
    'bearer {key:all}',
    'Bearer\t{key:all}',
    `Bearer ${'x'.repeat(9000)}`,
    `Bearer leads_live_${'0'.repeat(10)}_${'0'.repeat(49)}`,
  ]);
  setHeader(draft, 'Authorization', value);
};

const spoilHeader: Mutation = (draft, random) => {
  const [name, value] = random.pick<[string, string]>([
    ['Content-Type', 'text/plain'],
    ['Content-Type', 'application/json; charset=utf-16'],
    ['Content-Type', ''],
    ['Idempotency-Key', ''],
    ['Idempotency-Key', 'x'.repeat(200)],
    ['Idempotency-Key', 'x'.repeat(201)],
    ['Idempotency-Key', 'é'],
    ['Idempotency-Key', '__proto__'],
    ['X-Forwarded-Proto', 'http'],
    ['X-Forwarded-Proto', 'https, http'],
    ['X-Forwarded-Proto', 'ftp'],
  ]);
  setHeader(draft, name, value);
};

/** `encodeURIComponent` throws at half a surrogate pair. */
const wellFormed = (text: string): string => text.toWellFormed();
