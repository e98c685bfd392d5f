/**
 * A text without surrounding blanks, and without the characters that no reader sees. Address books and web pages put them around phones and
 * emails, and who copies one copies them too. Format characters, and those that displays ignore (Unicode Standard Annex #44).
 */
export const visibleText = (text: string): string =>
  text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').trim();

/** A text from its first visible character to its last. Between them, a web address may need a joiner. */
export function trimInvisible(text: string): string {
  const visible = visibleText(text);
  return text.slice(text.indexOf(visible.charAt(0)), text.lastIndexOf(visible.slice(-1)) + 1);
}

/** Replaces every decimal digit of Unicode by its ASCII digit: libphonenumber reads neither Devanagari nor Bengali. */
export function asciiDigits(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/(?![0-9])\p{Nd}/gu, (digit) => String(digitValue(digit.codePointAt(0) ?? 0)));
}

/** The ten digits of a script are consecutive code points, zero first (The Unicode Standard, section 4.6); two scripts can adjoin. */
function digitValue(codePoint: number): number {
  let before = 0;
  while (/\p{Nd}/u.test(String.fromCodePoint(codePoint - before - 1))) before += 1;
  return before % 10;
}

/** No script stacks more marks (Unicode Standard Annex #15, section 13, allows 30). */
const stackedMarks = /\p{M}{30}/gu;
const graphemeJoiner = '\u034f';

/**
 * Unicode's full case folding, which JavaScript lacks: `ẞ` as `ss`, `ς` as `σ`, `İ` as `i` and a dot above. Only the dotless `ı` would fold
 * otherwise: its capital is `I`. Turkish folds `I` and `İ` differently, but a text does not say its language.
 */
const foldCase = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^ı]+/g, (part) => part.toUpperCase())
    .toLowerCase()
    .replaceAll('ς', 'σ');

/**
 * The form in which texts are compared, which ignores case and composition. Takes time in proportion to the text's length: normalization
 * sorts the marks after a letter, a second's work for the 47,000 that a value can hold. It does not sort across a joiner, so one
 * follows every 30 marks.
 */
export const foldText = (text: string): string =>
  foldCase(text.replace(stackedMarks, `$&${graphemeJoiner}`).normalize('NFC')).normalize('NFC');

/**
 * The form in which names are compared: of sources, stages, users, options and columns, and words such as `yes`. Whoever copies a name copies
 * what nobody sees: a decomposed accent, a no-break space, a direction mark. An exact match goes first.
 */
export const comparableName = (name: string): string =>
  foldText(visibleText(name)).replace(/\s+/g, ' ');

/** More than a number or a date has. Bounds the work of normalization, and of regular expressions that visit each digit many times. */
const figuresMaxChars = 400;

/** A number, date or ID in ASCII, with its digits of any script, and its minus or hyphens as word processors write them; empty for a longer text. */
export const asciiFigures = (text: string): string =>
  text.length > figuresMaxChars
    ? ''
    : visibleText(asciiDigits(text)).replace(/[\u2010-\u2013\u2212]/g, '-');
