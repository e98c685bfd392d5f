import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errorCode } from '../../cli/error-code.ts';
import { CommandError } from '../context.ts';
import { csvRecords, type FileRows, jsonlRows, openCsv, type RowOptions } from './rows.ts';

export const encodings = ['utf-8', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

/** How a program writes a file, in which its report is written too. */
export interface FileForm {
  readonly format: 'csv' | 'jsonl';
  readonly encoding: Encoding;
  readonly hasByteOrderMark: boolean;
  /** Of a CSV file. */
  readonly delimiter: string;
  readonly lineEnd: string;
}

export interface ImportFile extends FileRows {
  readonly form: FileForm;
  /** The part of the file that has been read, 0 to 1. */
  readonly progress: () => number;
}

export interface FileOptions extends RowOptions {
  readonly encoding: Encoding;
}

/** Opens a file of leads, whose rows are read as they are iterated. @throws CommandError for a file that cannot be used */
export async function openImportFile(file: string, options: FileOptions): Promise<ImportFile> {
  const extension = /\.(csv|jsonl|ndjson)$/i.exec(file)?.[1]?.toLowerCase();
  if (!extension)
    throw new CommandError(`${file} must end in .csv or .jsonl: the ending names the format.`);
  const { size, head } = await beginningOf(file);
  const { encoding } = options;
  const hasByteOrderMark = hasUtf8Mark(file, head, encoding);
  const text = new TextDecoder(encoding).decode(head);
  const format = extension === 'csv' ? 'csv' : 'jsonl';
  const form = { format, encoding, hasByteOrderMark, ...csvFormOf(text) } as const;
  let bytesRead = 0;
  const texts = textsOf(file, encoding, (bytes) => {
    bytesRead += bytes;
  });
  const rows =
    format === 'csv'
      ? await openCsv(file, csvRecords(file, texts, form.delimiter), options)
      : { headings: [], headingOf: new Map(), rows: jsonlRows(texts, options) };
  return { form, ...rows, progress: () => (size === 0 ? 1 : bytesRead / size) };
}

/** More than the headings of a file. */
const headBytes = 64 * 1024;

async function beginningOf(file: string): Promise<{ size: number; head: Buffer }> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(file);
    const stats = await handle.stat();
    if (!stats.isFile()) throw new CommandError(`${file} cannot be imported: it is not a file.`);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
    return { size: stats.size, head: buffer.subarray(0, bytesRead) };
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(`${file} cannot be imported: the file does not exist.`, {
      cause: error,
    });
  } finally {
    await handle?.close();
  }
}

/** @throws CommandError for UTF-16, which a spreadsheet writes as "Unicode text", and for a UTF-8 file that is said to be windows-1252 */
function hasUtf8Mark(file: string, head: Buffer, encoding: Encoding): boolean {
  const begin = head.subarray(0, 3).toString('hex');
  if (/^(fffe|feff)/.test(begin))
    throw new CommandError(`${file} is UTF-16: save it as CSV UTF-8.`);
  const hasMark = begin === 'efbbbf';
  if (hasMark && encoding !== 'utf-8') {
    throw new CommandError(
      `${file} begins with the mark of UTF-8, so it is not ${encoding}: remove --encoding ${encoding}.`,
    );
  }
  return hasMark;
}

/**
 * The delimiter is the one that splits the headings into most columns: a spreadsheet writes `;` where the decimal mark is a comma, or tabs.
 * The line end is that of the headings.
 */
function csvFormOf(text: string): Pick<FileForm, 'delimiter' | 'lineEnd'> {
  const heading = text.slice(0, text.search(/[\r\n]|$/));
  const columns = (delimiter: string): number => heading.split(delimiter).length;
  const delimiter = [',', ';', '\t'].reduce((a, b) => (columns(b) > columns(a) ? b : a));
  return { delimiter, lineEnd: /\r\n|\r|\n/.exec(text)?.[0] ?? '\n' };
}

/** The text of a file, decoded as it is read. @throws CommandError for bytes that are not of the encoding */
async function* textsOf(
  file: string,
  encoding: Encoding,
  onRead: (bytes: number) => void,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) {
      const bytes: Buffer = chunk;
      onRead(bytes.length);
      yield decoder.decode(bytes, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(
      `${file} is not UTF-8. If a spreadsheet on Windows wrote it, add --encoding windows-1252; else save it as CSV UTF-8.`,
      { cause: error },
    );
  }
}

/** The bytes of windows-1252 by character. */
let windows1252: Map<string, number> | undefined;

/** Encodes a text. A character that windows-1252 does not have becomes a question mark. */
export function encoded(text: string, encoding: Encoding): Buffer {
  if (encoding === 'utf-8') return Buffer.from(text);
  const bytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);
  windows1252 ??= new Map(
    [...new TextDecoder('windows-1252').decode(bytes)].map((char, byte) => [char, byte]),
  );
  const byteOf = windows1252;
  return Buffer.from([...text].map((char) => byteOf.get(char) ?? 0x3f));
}
