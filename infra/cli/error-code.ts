/** The code of a Node.js error, such as `ENOENT`; undefined for any other value. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;
