import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Organization } from '../../../shared/organization/organization.ts';
import { errorCode } from '../../cli/error-code.ts';
import { CommandError } from '../context.ts';
import { openCsv } from './csv-file.ts';
import type { FileRows } from './file-row.ts';
import { jsonlRows } from './jsonl-rows.ts';
import type { ColumnMapping } from './mapping.ts';

export interface ImportFile extends FileRows {
  readonly format: 'csv' | 'jsonl';
  /** The part of the file that has been read, 0 to 1. */
  readonly progress: () => number;
}

/** Opens a file of leads, whose rows are read as they are iterated. @throws CommandError for a file that cannot be used */
export async function openImportFile(
  file: string,
  organization: Organization,
  mapping: ColumnMapping,
): Promise<ImportFile> {
  const extension = /\.(csv|jsonl|ndjson)$/i.exec(file)?.[1]?.toLowerCase();
  if (!extension)
    throw new CommandError(`${file} must end in .csv or .jsonl: the ending names the format.`);
  const { size } = await existingFile(file);
  let bytesRead = 0;
  const texts = decoded(file, (bytes) => {
    bytesRead += bytes;
  });
  const progress = (): number => (size === 0 ? 1 : bytesRead / size);
  if (extension === 'csv')
    return { format: 'csv', ...(await openCsv(file, texts, organization, mapping)), progress };
  return {
    format: 'jsonl',
    headings: [],
    headingOf: new Map(),
    rows: jsonlRows(texts, organization, mapping),
    progress,
  };
}

async function existingFile(file: string): Promise<{ size: number }> {
  try {
    const found = await stat(file);
    if (found.isFile()) return found;
    throw new CommandError(`${file} cannot be imported: it is not a file.`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(`${file} cannot be imported: the file does not exist.`, {
      cause: error,
    });
  }
}

async function* decoded(
  file: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) {
      onBytes((chunk as Buffer).length);
      yield decoder.decode(chunk as Buffer, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(`${file} is not UTF-8: save it in that encoding.`, { cause: error });
  }
}
