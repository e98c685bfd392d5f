/** Apostrophes in front guard a text, or are its own. */
const keptNumber = /^'*(?:0|[1-9]\d{0,10})$/;
const valueCharacters = /^[\p{Nd}\p{Sc}\p{Zs}\p{Pd}.,:/\\()%'’+−]*$/u;
const words = /\p{L}[\p{L}\p{M}]*/gu;
const truthValue =
  /^'*\s*(?:true|false|wahr|falsch|vrai|faux|verdadero|verdadeiro|falso|vero|waar|onwaar)\s*$/i;

/**
 * Whether a spreadsheet that opens a CSV file may show or save another text than this one. It takes digits, separators and words of dates for
 * a number, a date or a time: it drops leading zeros (`00411`), computes exponents (`1E5`), and adds a year (`3/4`, `5 Mar`). It keeps whole
 * numbers of up to 11 digits.
 */
export function isValueLike(text: string): boolean {
  if (truthValue.test(text)) return true;
  if (keptNumber.test(text) || !/\p{Nd}/u.test(text)) return false;
  return valueCharacters.test(text.replace(words, (word) => (isDateWord(word) ? '' : word)));
}

const languages = 'en de fr es pt it nl sv da nb fi pl cs hu tr ru uk hi bn mr ta te gu id';
/** Of exponents, times and amounts. */
const otherWords = [
  'e',
  't',
  'z',
  'a',
  'p',
  'm',
  'am',
  'pm',
  'sept',
  'rs',
  'inr',
  'usd',
  'eur',
  'kr',
];
let dateWords: ReadonlySet<string> | undefined;

function isDateWord(word: string): boolean {
  dateWords ??= new Set([...otherWords, ...namesOfMonthsAndDays()]);
  return dateWords.has(word.toLowerCase());
}

function namesOfMonthsAndDays(): string[] {
  const weeks = Array.from({ length: 53 }, (_, week) => new Date(Date.UTC(2026, 0, week * 8)));
  return languages.split(' ').flatMap((language) =>
    (['long', 'short'] as const).flatMap((style) => {
      const options = { timeZone: 'UTC', day: 'numeric', month: style, weekday: style } as const;
      const format = new Intl.DateTimeFormat(language, options);
      return weeks.flatMap((date) => format.format(date).toLowerCase().match(words) ?? []);
    }),
  );
}
