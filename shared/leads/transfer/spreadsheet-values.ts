/** Leading apostrophes guard a text or belong to it. */
const keptNumber = /^'*(?:0|[1-9]\d{0,10})$/;
const valueCharacters = /^[\p{Nd}\p{Sc}\p{Zs}\p{Pd}.,:/\\()%'’+−]*$/u;
const truthValue =
  /^'*\s*(?:true|false|wahr|falsch|vrai|faux|verdadero|verdadeiro|falso|vero|waar|onwaar)\s*$/i;
/**
 * The words of exponents, times, amounts, and of dates in the languages of Western Europe. Words in other scripts may mean a date in
 * another language.
 */
const word =
  /(?<![\p{L}\p{M}])(?:[etz]|[ap]\.?m?|de|rs|inr|usd|eur|kr|(?:jan|ene|gen|feb|fév|m[aä]r|mrt|a[bpv]r|ma[giy]|mei|jun|jui|giu|jul|lug|ago|ao[uû]|aug|sep|set|o[ckt]t|nov|d[eé][cz]|dic|mon|tue|wed|thu|fri|sat|sun)\p{L}*|[^\P{L}\p{Script=Latin}][\p{L}\p{M}]*)(?![\p{L}\p{M}])/giu;

/**
 * Whether a spreadsheet that opens a CSV file may change this text. It takes digits, separators and words of dates for a number, a date or
 * a time: it drops leading zeros (`00411`), computes exponents (`1E5`), and adds a year (`3/4`, `5 Mar`). It keeps whole numbers of up to
 * 11 digits.
 */
export const isValueLike = (text: string): boolean =>
  truthValue.test(text) ||
  (/\p{Nd}/u.test(text) && !keptNumber.test(text) && valueCharacters.test(text.replace(word, '')));
