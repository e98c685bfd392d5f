/** The value of a JSON text; undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Whether a JSON value is an object: neither null nor a list. */
export const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether a text can be stored: UTF-8 cannot carry a lone surrogate, and a database may refuse U+0000. */
export const isStorableText = (text: string): boolean =>
  !text.includes('\0') && text.isWellFormed();
