/**
 * A text without surrounding blanks and without invisible characters: format characters, and characters that displays ignore (Unicode
 * Standard Annex #44). Address books and web pages put them around phones and emails, and people copy them along.
 */
export const visibleText = (text: string): string =>
  text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').trim();

/** A text from its first visible character to its last. Keeps the invisible characters between them: a web address may need a joiner. */
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
 * Unicode's full case folding, which JavaScript lacks: `ẞ` as `ss`, `ς` as `σ`, `İ` as `i` and a dot above. The dotless `ı` is left as it
 * is, because its capital `I` would turn it into `i`. Turkish folds `I` and `İ` differently, but a text does not say its language.
 */
const foldCase = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^ı]+/g, (part) => part.toUpperCase())
    .toLowerCase()
    .replaceAll('ς', 'σ');

/**
 * The form in which texts are compared, which ignores case and composition. Takes linear time. Normalization sorts the marks after a
 * letter, which takes a second for the 47,000 marks that fit into a value. It does not sort across a joiner, so a joiner is inserted after
 * every 30 marks.
 */
export const foldText = (text: string): string =>
  foldCase(text.replace(stackedMarks, `$&${graphemeJoiner}`).normalize('NFC')).normalize('NFC');

/**
 * The form in which names of sources, stages, users, options and columns, and words such as `yes`, are compared. A copied name can contain
 * invisible differences: a decomposed accent, a no-break space, a direction mark. An exact match takes precedence.
 */
export const comparableName = (name: string): string =>
  foldText(visibleText(name)).replace(/\s+/g, ' ');

/** Longer than any number or date. Bounds the work of normalization, and of regular expressions that backtrack over digits. */
const figuresMaxChars = 400;

/**
 * A number, date or ID in ASCII: replaces the digits of every script, and the minus signs and hyphens of word processors. Empty if the text
 * is longer than `figuresMaxChars`.
 */
export const asciiFigures = (text: string): string =>
  text.length > figuresMaxChars
    ? ''
    : visibleText(asciiDigits(text)).replace(/[\u2010-\u2013\u2212]/g, '-');
