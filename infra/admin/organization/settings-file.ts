import { readFile } from 'node:fs/promises';
import { errorCode } from '../../cli/error-code.ts';
import { CommandError } from '../context.ts';

const readFailures: Readonly<Record<string, string>> = {
  ENOENT: 'the file does not exist',
  EISDIR: 'it is a folder',
  EACCES: 'you may not read it',
};

/** The text of a settings file. @throws CommandError for a file that cannot be read or is not UTF-8 */
export async function readSettingsText(file: string): Promise<string> {
  let bytes: Buffer;
  try {
    bytes = await readFile(file);
  } catch (error) {
    const reason = readFailures[errorCode(error) ?? ''];
    if (!reason) throw error;
    throw new CommandError(`The settings file ${file} cannot be read: ${reason}.`, {
      cause: error,
    });
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw new CommandError(`The settings file ${file} is not UTF-8: save it in that encoding.`, {
      cause: error,
    });
  }
}
