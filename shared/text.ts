/**
 * A text without surrounding blanks, and without the characters that no reader sees. Address books and web pages put them around phones and
 * emails, and who copies one copies them too. Format characters, and those that displays ignore (Unicode Standard Annex #44).
 */
export const visibleText = (text: string): string =>
  text.replace(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/gu, '').trim();

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
 * The form in which texts are compared, which ignores case and composition. Takes time in proportion to the text's length: normalization
 * sorts the marks after a letter, a second's work for the 47,000 that a value can hold. It does not sort across a joiner, so one
 * follows every 30 marks.
 */
export const foldText = (text: string): string =>
  text.replace(stackedMarks, `$&${graphemeJoiner}`).normalize('NFC').toLowerCase();
