import { CommandError } from './command.ts';

/** The code of a Node.js error, such as `ENOENT`; undefined for any other value. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error ? String(error.code) : undefined;

/** A thrown value as an error, for its name and message. */
export const asError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));

/** An error as text, such as `Error ECONNREFUSED: connect …`. */
export function errorText(error: unknown): string {
  const { name, message } = asError(error);
  return `${[name, errorCode(error)].filter(Boolean).join(' ')}: ${message}`;
}

const pathIssues: Readonly<Record<string, string>> = {
  EACCES: 'the system does not allow it',
  EEXIST: 'a file is in the way',
  EISDIR: 'it is a folder',
  ENOENT: 'the file or its folder does not exist',
  ENOTDIR: 'a file is in the way',
};

/** Why the system refused to create, write or read a file or folder; undefined for an error of another kind. */
export const pathIssue = (error: unknown): string | undefined => pathIssues[errorCode(error) ?? ''];

/**
 * Refuses a file or folder that a command line names.
 * @param what the beginning of a sentence that says what cannot be done
 * @param next a sentence that says what to do
 * @throws CommandError that says why the system refused, or `error` itself if the system did not refuse
 */
export function refusePath(what: string, error: unknown, next = ''): never {
  const reason = pathIssue(error) ?? errorCode(error);
  if (reason === undefined) throw error;
  throw new CommandError(`${what}: ${reason}. ${next}`.trim(), { cause: error });
}
