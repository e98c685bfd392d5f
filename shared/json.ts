/** Parses JSON text. @returns undefined for text that is not JSON; no JSON text parses to undefined */
export function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}
