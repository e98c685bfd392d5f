import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Organization } from '../../../shared/organization/organization.ts';
import { errorCode } from '../../cli/error-code.ts';
import { CommandError } from '../context.ts';
import { openCsv } from './csv-file.ts';
import type { FileRows, RowOptions } from './file-row.ts';
import { jsonlRows } from './jsonl-rows.ts';
import { type Encoding, notUtf8Error, type TextForm, textFormOf } from './text-encoding.ts';

export interface ImportFile extends FileRows {
  readonly format: 'csv' | 'jsonl';
  /** Known once the first row, or the headings, have been read. */
  readonly textForm: () => TextForm;
  /** The part of the file that has been read, 0 to 1. */
  readonly progress: () => number;
}

export interface FileOptions extends RowOptions {
  readonly encoding: Encoding;
}

/** Opens a file of leads, whose rows are read as they are iterated. @throws CommandError for a file that cannot be used */
export async function openImportFile(
  file: string,
  organization: Organization,
  options: FileOptions,
): Promise<ImportFile> {
  const extension = /\.(csv|jsonl|ndjson)$/i.exec(file)?.[1]?.toLowerCase();
  if (!extension)
    throw new CommandError(`${file} must end in .csv or .jsonl: the ending names the format.`);
  const { size } = await existingFile(file);
  const source = new TextFile(file, options.encoding);
  const common = {
    progress: (): number => (size === 0 ? 1 : source.bytesRead / size),
    textForm: () => source.form,
  };
  if (extension === 'csv')
    return {
      format: 'csv',
      ...(await openCsv(file, source.texts(), organization, options)),
      ...common,
    };
  return {
    format: 'jsonl',
    headings: [],
    headingOf: new Map(),
    rows: jsonlRows(source.texts(), organization, options),
    ...common,
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

/** A file that is decoded as it is read. */
class TextFile {
  bytesRead = 0;
  form: TextForm;
  readonly #file: string;

  constructor(file: string, encoding: Encoding) {
    this.#file = file;
    this.form = { encoding, hasByteOrderMark: false };
  }

  /** @throws CommandError for bytes that are not of the encoding */
  async *texts(): AsyncGenerator<string, undefined> {
    const { encoding } = this.form;
    const decoder = new TextDecoder(encoding, { fatal: true });
    try {
      for await (const chunk of createReadStream(this.#file)) {
        const bytes = chunk as Buffer;
        if (this.bytesRead === 0) this.form = textFormOf(this.#file, bytes, encoding);
        this.bytesRead += bytes.length;
        yield decoder.decode(bytes, { stream: true });
      }
      yield decoder.decode();
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw notUtf8Error(this.#file, error);
    }
  }
}
