/** The code of a Node.js error, such as `ENOENT`; undefined for any other value. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/** A thrown value as an error, for its name and message. */
export const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

const pathIssues: Readonly<Record<string, string>> = {
  EACCES: 'the system does not allow it',
  EEXIST: 'a file is in the way',
  EISDIR: 'it is a folder',
  ENOTDIR: 'a file is in the way',
};

/**
 * Why the system refused to create, write or read a file or folder; undefined for an error of another kind.
 * @param absent the reason if something is not there, @default of a file to write
 */
export const pathIssue = (
  error: unknown,
  absent = 'its folder does not exist',
): string | undefined =>
  errorCode(error) === 'ENOENT' ? absent : pathIssues[errorCode(error) ?? ''];
