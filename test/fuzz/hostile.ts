import type { Random } from './random.ts';

/** What programs have stumbled over before: values, texts and names that are legal on the wire and meant by nobody. */

/** Names that objects inherit, or that a careless assignment gives a meaning. */
export const inheritedNames = [
  '__proto__',
  'constructor',
  'prototype',
  'hasOwnProperty',
  'toString',
  'valueOf',
  'toJSON',
  '__defineGetter__',
  'then',
  'length',
] as const;

const astral = '\u{1F9D1}\u200D\u{1F393}';
export const hostileTexts = [
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
  '\u00e9',
  'İ',
  'ẞ',
  'ﬃ',
  astral,
  'Ź̸̢̛͙a̶l̵g̸o̷',
  '९८२२०१२३४५',
  'null',
  'undefined',
  'NaN',
  'true',
  '[object Object]',
  '{"a":1}',
  '-0',
  '1e999',
  '0x10',
  '2026-02-30',
  '2026-02-30T25:61:61Z',
  '0000-00-00',
  "' OR 1=1 --",
  'attribute_exists(pk)',
  ':p0',
  '#n0',
  'LEADS#1',
  '../../etc/passwd',
  '%00',
  '%',
  '%u0041',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '=1+1',
  'a\r\nX-Injected: 1',
  '+91 98220 12345;ext=1',
  'tel:+919822012345',
  'a@b',
  'a@b@c.example',
  '"quoted local"@example.com',
  'x@xn--bcher-kva.example',
  'javascript:alert(1)',
  'http://[::1]:80/',
  'http://user:password@example.com/',
  ...inheritedNames,
] as const;

/** As JSON writes them: some are no number that JavaScript holds. */
export const hostileNumbers = [
  '0',
  '-0',
  '-1',
  '1.5',
  '1e2',
  '1E+2',
  '1e-400',
  '1e400',
  '-1e400',
  '2147483647',
  '2147483648',
  '4294967297',
  '9007199254740993',
  '0.1000000000000000055511151231257827',
  '1.7976931348623157e308',
  '9'.repeat(40),
  `1${'0'.repeat(400)}`,
  '1e-130',
  '9.9e125',
  '1e126',
] as const;

/** Objects and lists, as JSON writes them, that break what makes texts or lists of them: their own properties hide the inherited ones. */
export const hostileObjects = [
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

const longLengths = [
  31, 32, 33, 60, 61, 64, 65, 200, 201, 254, 255, 300, 301, 2000, 2001, 5000, 5001, 20_000,
] as const;

/** A text as somebody with bad intent or a broken program sends it. */
export function hostileText(random: Random): string {
  if (random.percent(70)) return random.pick(hostileTexts);
  const unit = random.pick(['a', '9', ' ', 'é', 'न', '\u{1F393}', '\u0301', '"', '\\', '\u2028']);
  return unit.repeat(random.pick(longLengths));
}

/** A JSON value, as text, of any kind. */
export function hostileJson(random: Random, depth = 0): string {
  const nested = (): string => hostileJson(random, depth + 1);
  const kinds = [
    () => JSON.stringify(hostileText(random)),
    () => random.pick(hostileNumbers),
    () =>
      random.pick([
        'null',
        'true',
        'false',
        '[]',
        '{}',
        '[[]]',
        '{"":""}',
        '[null]',
        '""',
        ...hostileObjects,
      ]),
    () => (depth > 3 ? '[]' : `[${random.times(0, 4, nested).join(',')}]`),
    () =>
      depth > 3
        ? '{}'
        : `{${random.times(0, 4, () => `${JSON.stringify(random.pick([...inheritedNames, hostileText(random)]))}:${nested()}`).join(',')}}`,
    () => nestedDeep(random),
  ];
  return random.pick(depth === 0 ? kinds : kinds.slice(0, 5))();
}

/** Brackets as deep as the transport's 100 KB allow, or a bit deeper than a stack. */
function nestedDeep(random: Random): string {
  const depth = random.pick([100, 5000, 12_000]);
  const [open, close] = random.pick([
    ['[', ']'],
    ['{"a":', '}'],
  ] as const);
  return open.repeat(depth) + random.pick(['0', '"x"', 'null']) + close.repeat(depth);
}

/** JSON text with one byte's worth of damage, or what people send in its place. */
export function damagedJson(random: Random, text: string): string | Uint8Array {
  const at = random.integer(0, Math.max(0, text.length - 1));
  const damages: readonly (() => string | Uint8Array)[] = [
    () => text.slice(0, at),
    () =>
      text.slice(0, at) +
      random.pick(['"', '}', ',', '\0', '\u00a0', '//', '\\', '\n']) +
      text.slice(at),
    () => text.slice(0, at) + text.slice(at + 1),
    () => `\ufeff${text}`,
    () => `${text}${text}`,
    () => text.replaceAll('"', "'"),
    () => `${text}${' '.repeat(random.pick([99_000, 100_001, 120_000]))}`,
    () =>
      Buffer.concat([
        Buffer.from(text.slice(0, at)),
        Buffer.from([0xff, 0xc0, 0xaf]),
        Buffer.from(text.slice(at)),
      ]),
    () => Buffer.from(text, 'utf16le'),
    () =>
      random.pick([
        '',
        ' ',
        'null',
        '[]',
        '""',
        '0',
        'true',
        '[',
        '{',
        '[{}]',
        'name=x&phone=1',
        '<xml/>',
      ]),
    () => '['.repeat(random.pick([99_999, 100_000, 100_001])),
  ];
  return random.pick(damages)();
}
