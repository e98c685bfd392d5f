/** The longest part for which V8's search takes linear time (v8: `src/strings/string-search.h`, kBMMaxShift). */
const nativePartMaxChars = 250;

/** Finds one part in many texts. Each search takes time linear in the text's length, whatever the text and the part. */
export function partFinder(part: string): (text: string) => boolean {
  return part.length <= nativePartMaxChars ? (text) => text.includes(part) : longPartFinder(part);
}

/** The Knuth-Morris-Pratt search: it never goes back in the text. */
function longPartFinder(part: string): (text: string) => boolean {
  const codes = Uint16Array.from({ length: part.length }, (_, index) => part.charCodeAt(index));
  /** For each position, the length of the longest suffix that ends there and is also a prefix of the part. */
  const overlaps = new Uint16Array(codes.length);
  const matchedAfter = (matched: number, code: number | undefined): number => {
    let length = matched;
    while (length > 0 && codes[length] !== code) length = overlaps[length - 1] ?? 0;
    return codes[length] === code ? length + 1 : length;
  };
  for (let at = 1; at < codes.length; at += 1)
    overlaps[at] = matchedAfter(overlaps[at - 1] ?? 0, codes[at]);
  return (text) => {
    let matched = 0;
    for (let at = 0; at < text.length && matched < codes.length; at += 1)
      matched = matchedAfter(matched, text.charCodeAt(at));
    return matched === codes.length;
  };
}
