import fc from 'fast-check';

/** What programs have stumbled over before: values, texts and names that are legal on the wire and meant by nobody. */

/** Names that objects inherit, or that a careless assignment gives a meaning. */
export const inheritedNames = [
  '__proto__',
  'constructor',
  'hasOwnProperty',
  'toString',
  'toJSON',
  'then',
  'length',
] as const;

const astral = '\u{1F9D1}\u200D\u{1F393}';
const hostileTexts = [
  '',
  ' ',
  '\t\r\n',
  '\0',
  'a\0b',
  '\ud800',
  '\udc00x',
  'x\ud83d',
  '\ufeff',
  '\ufffd',
  '\u202eabc',
  '\u200b',
  'e\u0301',
  'İ',
  'ﬃ',
  astral,
  '९८२२०१२३४५',
  'null',
  '-0',
  '1e999',
  '2026-02-30',
  '2026-02-30T25:61:61Z',
  '0000-00-00',
  'attribute_exists(pk)',
  ':p0',
  '#n0',
  'LEADS#1',
  '%00',
  '%',
  'a\r\nX-Injected: 1',
  '+91 98220 12345;ext=1',
  'a@b',
  'a@b@c.example',
  '"quoted local"@example.com',
  'x@xn--bcher-kva.example',
  'http://[::1]:80/',
  'http://user:password@example.com/',
  ...inheritedNames,
] as const;

/** As JSON writes them: some are no number that JavaScript holds. */
const hostileNumbers = [
  '0',
  '-0',
  '1.5',
  '1e2',
  '1e-400',
  '1e400',
  '-1e400',
  '2147483647',
  '2147483648',
  '9007199254740993',
  '0.1000000000000000055511151231257827',
  '1.7976931348623157e308',
  '9'.repeat(40),
  `1${'0'.repeat(400)}`,
  '1e-130',
  '1e126',
] as const;

/** Objects and lists, as JSON writes them, that break what makes texts or lists of them: their own properties hide the inherited ones. */
const hostileObjects = [
  '{"toString":null}',
  '{"toString":{},"valueOf":[]}',
  '{"valueOf":null,"toString":"x"}',
  '{"toJSON":{"toString":null}}',
  '{"__proto__":null}',
  '{"__proto__":{"toString":null,"length":2}}',
  '{"constructor":{"prototype":null}}',
  '{"length":-1}',
  '{"length":1e9,"0":"a"}',
  '{"then":{"then":null}}',
  '[{"toString":null}]',
  '[[["a"]]]',
  '[null,{"valueOf":0}]',
] as const;

const longTexts = fc
  .tuple(
    fc.constantFrom('a', '9', ' ', 'é', 'न', '\u{1F393}', '\u0301', '"', '\\', '\u2028'),
    fc.constantFrom(31, 33, 61, 65, 200, 201, 255, 301, 2001, 5001, 20_000),
  )
  .map(([unit, length]) => unit.repeat(length));

/** A text as somebody with bad intent or a broken program sends it. */
export const hostileText = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...hostileTexts) },
  { weight: 1, arbitrary: longTexts },
);

const nested = (depth: number): string[] => [
  '['.repeat(depth) + ']'.repeat(depth),
  `${'{"a":'.repeat(depth)}0${'}'.repeat(depth)}`,
];
const jsonText = (...depths: readonly number[]): fc.Arbitrary<string> =>
  fc.oneof(
    fc.json({ maxDepth: 4 }),
    fc.constantFrom(...hostileNumbers, ...hostileObjects),
    hostileText.map((text) => JSON.stringify(text)),
    fc.constantFrom(...depths.flatMap(nested)),
  );

/** JSON text of any kind: numbers that JavaScript cannot hold, objects that hide what they inherit, and deep nesting. */
export const hostileJson = jsonText(100, 5000, 12_000);

/** Any value that `JSON.parse` returns, hostile values included. */
export const anyJson: fc.Arbitrary<unknown> = jsonText(100, 1000).map((text) => JSON.parse(text));

/** Sets a property of the object's own: an assignment to `__proto__` would not. */
export const define = (holder: object, name: string, value: unknown): object =>
  Object.defineProperty(holder, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });

/** A valid value with any JSON in one place: the whole value, a property (present or not), an item of a list, or an unknown property. */
export const placedAnywhere = (
  good: fc.Arbitrary<object>,
  properties: readonly string[],
): fc.Arbitrary<unknown> =>
  fc
    .record({
      value: good,
      name: fc.constantFrom(undefined, ...properties, '__proto__', 'nobody knows it'),
      json: anyJson,
      asItem: fc.boolean(),
    })
    .map(({ value, name, json, asItem }) =>
      name === undefined ? json : define({ ...value }, name, asItem ? [json] : json),
    );

/** What people send in place of JSON, from the JSON text that they meant. */
export const damages: readonly ((text: string, at: number) => string | Uint8Array)[] = [
  (text, at) => text.slice(0, at),
  (text, at) => text.slice(0, at) + text.slice(at + 1),
  ...['"', '}', ',', '\0', '\u00a0', '//', '\\', '\n'].map(
    (odd) => (text: string, at: number) => text.slice(0, at) + odd + text.slice(at),
  ),
  (text) => `\ufeff${text}`,
  (text) => `${text}${text}`,
  (text) => text.replaceAll('"', "'"),
  (text, at) =>
    Buffer.concat([
      Buffer.from(text.slice(0, at)),
      Buffer.from([0xff, 0xc0, 0xaf]),
      Buffer.from(text.slice(at)),
    ]),
  (text) => Buffer.from(text, 'utf16le'),
  ...['', ' ', 'null', '[]', '0', '[{}]', 'name=x&phone=1', '['.repeat(100_000)].map(
    (other) => () => other,
  ),
];
