/** Marks that follow one another: no script stacks so many (Unicode Standard Annex #15, section 13, allows 30). */
const stackedMarks = /\p{M}{30}/gu;
const graphemeJoiner = '\u034f';

/**
 * A text in the one form in which texts are compared: case and composition are ignored. Takes time in proportion to its length.
 * Normalization sorts the marks that follow a letter, and needs a second for the 47,000 that a value can hold: a joiner, which
 * it does not sort across, goes in after each 30.
 */
export const foldText = (text: string): string =>
  text.replace(stackedMarks, `$&${graphemeJoiner}`).normalize('NFC').toLowerCase();

/** V8 searches in proportion to the text's length only for parts that its tables hold (v8: `src/strings/string-search.h`, kBMMaxShift). */
const nativePartMaxChars = 250;

/** Finds one part in many texts. Each search takes time in proportion to the text's length, whatever text and part say. */
export function partFinder(part: string): (text: string) => boolean {
  return part.length <= nativePartMaxChars ? (text) => text.includes(part) : longPartFinder(part);
}

/** The search of Knuth, Morris and Pratt: a mismatch never looks at the text's earlier characters again. */
function longPartFinder(part: string): (text: string) => boolean {
  const codes = Uint16Array.from({ length: part.length }, (_, index) => part.charCodeAt(index));
  const overlaps = overlapsOf(codes);
  return (text) => {
    let matched = 0;
    for (let at = 0; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      while (matched > 0 && codes[matched] !== code) matched = overlaps[matched - 1] ?? 0;
      if (codes[matched] === code) matched += 1;
      if (matched === codes.length) return true;
    }
    return false;
  };
}

/** For each position, how many characters that end there are also the part's first ones. */
function overlapsOf(codes: Uint16Array): Uint16Array {
  const overlaps = new Uint16Array(codes.length);
  let matched = 0;
  for (let at = 1; at < codes.length; at += 1) {
    while (matched > 0 && codes[matched] !== codes[at]) matched = overlaps[matched - 1] ?? 0;
    if (codes[matched] === codes[at]) matched += 1;
    overlaps[at] = matched;
  }
  return overlaps;
}
