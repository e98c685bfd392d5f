/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * The position, counted from 0, at which a text stops being valid JSON.
 * @param message of the error that `JSON.parse` threw. It can quote the text.
 */
export function syntaxErrorPosition(text: string, { message }: SyntaxError): number {
  const [, position] = /^[^"]* JSON at position (\d+)/.exec(message) ?? [];
  if (position !== undefined) return Number(position);
  // V8 gives no position for an unexpected token. But the text before that token fails with another error, or parses, so a binary search
  // finds it.
  let [from, to] = [0, text.length];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    try {
      JSON.parse(text.slice(0, middle + 1));
      from = middle + 1;
    } catch (error) {
      if (String(error).startsWith('SyntaxError: Unexpected token')) to = middle;
      else from = middle + 1;
    }
  }
  return from;
}

/** The first `maxChars` characters of a text, and an ellipsis if it is longer. */
export const shortened = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars).toWellFormed()}…` : text;

/** Whether a JSON value is an object: neither null nor a list. */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a text can be stored: UTF-8 cannot carry a lone surrogate, and a database may refuse U+0000. */
export const isStorableText = (text: string): boolean =>
  !text.includes('\0') && text.isWellFormed();
