/** A part of a text. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** A text after its escapes are decoded. */
interface Reading {
  readonly text: string;
  /** Where a part of the reading is in the original text; undefined if another decoding makes it part of something else. */
  readonly original: (part: Span) => Span | undefined;
}

/**
 * The readings of a text: as it is, and with its escapes decoded once or repeatedly. The most decoded reading comes first. Takes linear
 * time.
 *
 * Some escapes may also be plain text: `=20` can begin a value in a link, a form's `+` can be part of an email, and JSON's `\n` part of a
 * path. So a text is read with and without decoding them.
 */
export function readingsOf(text: string): Reading[] {
  if (!escapeSign.test(text)) return [{ text, original: (part) => part }];
  const certain = readings(text, certainEscapes);
  if (!certain.some((reading) => doubtfulEscape.test(reading.text))) return certain;
  const known = new Set(certain.map((reading) => reading.text));
  const possible = readings(text, possibleEscapes);
  return [...possible.filter((reading) => !known.has(reading.text)), ...certain];
}

/** Every escape has one of these: most texts have none. */
const escapeSign = /[%&\\=]/;

/** A decoded text, and where each of its UTF-16 units begins and ends in the original. */
interface Decoded {
  readonly text: string;
  readonly from: readonly number[];
  readonly to: readonly number[];
}

/** How deep encodings may be nested, such as a link in an HTML page in JSON. */
const roundsMax = 5;

function readings(original: string, escapes: RegExp): Reading[] {
  if (original.search(escapes) === -1) return [{ text: original, original: (part) => part }];
  const units = Array.from({ length: original.length }, (_, at) => at);
  let last: Decoded = { text: original, from: units, to: units.map((at) => at + 1) };
  const rounds = [last];
  const quotedEnds = new Set<number>();
  for (let round = 1; round <= roundsMax; round += 1) {
    const next = decoded(last, escapes, quotedEnds);
    if (next.text === last.text) break;
    last = next;
    rounds.unshift(next);
  }
  const endIn = new Map(last.from.map((from, unit) => [from, last.to[unit]]));
  return rounds.map(({ text, from, to }) => ({
    text,
    original: ({ start, end }) => {
      const span = { start: from[start] ?? 0, end: to[end - 1] ?? 0 };
      const isDecodedFurther = (unit: number) => endIn.get(from[unit] ?? -1) !== to[unit];
      if (isDecodedFurther(start - 1) || isDecodedFurther(end)) return undefined;
      // A single escape of two digits may instead begin a value in a link: `?phone=20…`.
      const before = original.slice(Math.max(0, span.start - 2), span.start);
      const isDoubtful = quotedEnds.has(span.start) && quotedEnds.size === 1 && /\d\d/.test(before);
      return isDoubtful ? undefined : span;
    },
  }));
}

/** @param quotedEnds receives the positions in the original where quoted-printable escapes end */
function decoded(before: Decoded, escapes: RegExp, quotedEnds: Set<number>): Decoded {
  const texts: string[] = [];
  const from: number[] = [];
  const to: number[] = [];
  /** Adds the text of the escape between the units `start` and `last`; without `last`, one text unit for each unit from `start`. */
  const add = (text: string, start: number, last?: number): void => {
    texts.push(text);
    for (let unit = 0; unit < text.length; unit += 1) {
      from.push(before.from[last === undefined ? start + unit : start] ?? 0);
      to.push(before.to[last ?? start + unit] ?? 0);
    }
  };
  let end = 0;
  for (const { index, 0: escape } of before.text.matchAll(escapes)) {
    add(before.text.slice(end, index), end);
    end = index + escape.length;
    add(charactersOf(escape), index, end - 1);
    if (escape.startsWith('=')) quotedEnds.add(before.to[end - 1] ?? 0);
  }
  add(before.text.slice(end), end);
  return { text: texts.join(''), from, to };
}

/** The bytes of a UTF-8 character, or of a no-break space in Latin-1, each preceded by `sign`. */
const bytesBehind = (sign: string): string => {
  const more = `${sign}[89ab][\\da-f]`;
  const lengths = [`[cd][\\da-f]${more}`, `e[\\da-f](?:${more}){2}`, `f[0-4](?:${more}){3}`];
  return `${sign}(?:${lengths.join('|')}|a0)`;
};
/** The escapes that cannot be plain text: of percent-encoding, HTML, and JSON and JavaScript strings. */
const certain = String.raw`%u[\da-f]{4}|%[0-7][\da-f]|${bytesBehind('%')}|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]{2,8});|\\u[\da-f]{4}|\\x[\da-f]{2}|\\["'\\/]`;
const certainEscapes = new RegExp(certain, 'gi');
/**
 * The escapes that may be plain text. Quoted-printable never escapes letters and digits. A form's `+` counts if an escaped `@` follows. Of
 * JSON's escapes, only line breaks and tabs are doubtful.
 */
const doubtful = String.raw`=(?!3\d|[46][1-9a-f]|[57][\da])[2-7][\da-f]|${bytesBehind('=')}|=\r?\n|\+(?=[^\s@]{0,254}%40)|\\[nrt]`;
const doubtfulEscape = new RegExp(doubtful, 'i');
const possibleEscapes = new RegExp(`${certain}|${doubtful}`, 'gi');

function charactersOf(escape: string): string {
  const hex = (at: number): number => Number.parseInt(escape.slice(at), 16);
  if (escape === '+') return ' ';
  if (escape.endsWith('\n')) return '';
  if (escape.startsWith('&')) return entityOf(escape.slice(1, -1)) ?? escape;
  if (/[%\\]u|\\x/i.test(escape)) return String.fromCharCode(hex(2));
  if (escape.startsWith('\\')) return /[nrt]/.test(escape) ? '\n' : escape.slice(1);
  const bytes = escape.replaceAll(/[%=]/g, '');
  return /^a0$/i.test(bytes) ? '\u00a0' : Buffer.from(bytes, 'hex').toString();
}

/** The character of an HTML entity; undefined if the entity is unknown. */
function entityOf(name: string): string | undefined {
  if (!name.startsWith('#')) return entities.get(name.toLowerCase());
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}

/** The named entities of characters that occur in or around phones and emails. */
const entities = new Map(
  'amp& apos\' ast* bsol\\ colon: comma, commat@ dash‐ dollar$ emsp\u2003 ensp\u2002 equals= excl! gt> hat^ hyphen‐ lpar( lowbar_ lt< mdash— nbsp\u00a0 ndash– num# percnt% period. plus+ quest? quot" rpar) semi; shy\u00ad sol/ thinsp\u2009 verbar| zwj\u200d zwnj\u200c'
    .split(' ')
    .map((pair) => [pair.slice(0, -1), pair.slice(-1)]),
);
