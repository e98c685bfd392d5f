import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import type { FormatOptions } from './cell-formats.ts';
import { ColumnMapping, type MappingOptions } from './mapping.ts';
import {
  csvRecords,
  type FileRow,
  jsonlRows,
  openSheet,
  type RowOptions,
  type SheetRecord,
} from './rows.ts';
import { readWorkbook } from './workbook.ts';

export const encodings = ['utf-8', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

/** How a program writes a file. The report is written so too, but text always in UTF-8. */
export interface FileForm {
  readonly format: 'csv' | 'jsonl' | 'xlsx';
  /** The byte order mark of UTF-8, by which an import and a spreadsheet recognize the encoding of the report; empty if neither needs it. */
  readonly mark: '\uFEFF' | '';
  /** Of a CSV file. */
  readonly delimiter: string;
  readonly lineEnd: string;
}

export interface ImportFile {
  readonly form: FileForm;
  /** Empty for JSONL. */
  readonly headings: readonly string[];
  readonly rows: AsyncGenerator<FileRow>;
  /** The part of the file that has been read, 0 to 1. */
  readonly progress: () => number;
}

export interface FileOptions extends MappingOptions, FormatOptions {
  /** Of a file without a byte order mark. */
  readonly encoding: Encoding;
  /** Of an .xlsx file. */
  readonly sheet?: string;
}

/** Opens a file of leads, whose rows are read as they are iterated. @throws CommandError for a file that cannot be used */
export async function openImportFile(
  file: string,
  organization: Organization,
  options: FileOptions,
): Promise<ImportFile> {
  const extension = /\.(xlsx|csv|jsonl|ndjson)$/i.exec(file)?.[1]?.toLowerCase();
  if (!extension)
    throw new CommandError(
      `${file} must end in .xlsx, .csv or .jsonl: save a table as .xlsx, in Excel with File, Save as.`,
    );
  if (options.sheet !== undefined && extension !== 'xlsx')
    throw new CommandError(`--sheet names a sheet of an .xlsx file: remove it for ${file}.`);
  const mapping = new ColumnMapping(organization, options);
  const stats = await stat(file).catch(() => undefined);
  if (!stats?.isFile()) {
    const reason = stats ? 'it is not a file' : 'the file does not exist';
    throw new CommandError(`${file} cannot be imported: ${reason}.`);
  }
  const reading = { organization, mapping, formats: options };
  if (extension === 'xlsx') return openWorkbook(file, options, reading);
  return openText(file, extension === 'csv' ? 'csv' : 'jsonl', options, reading);
}

async function openWorkbook(
  file: string,
  { sheet }: FileOptions,
  reading: RowOptions,
): Promise<ImportFile> {
  const all = await readWorkbook(file, sheet);
  let number = 0;
  async function* records(): AsyncGenerator<SheetRecord, undefined> {
    for (const cells of all) {
      number += 1;
      if (cells.some((cell) => cell !== null)) yield { number, cells };
    }
  }
  const rows = await openSheet(file, records(), reading);
  const form: FileForm = { format: 'xlsx', mark: '', delimiter: '', lineEnd: '' };
  return { form, ...rows, progress: () => number / all.length };
}

/** Enough for the headings. */
const headBytes = 65_536;

async function openText(
  file: string,
  format: 'csv' | 'jsonl',
  options: FileOptions,
  reading: RowOptions,
): Promise<ImportFile> {
  const { size } = await stat(file);
  const head = Buffer.concat(await createReadStream(file, { end: headBytes - 1 }).toArray());
  if (head.toString('latin1', 0, 4) === 'PK\x03\x04')
    throw new CommandError(`${file} is an .xlsx workbook: name it .xlsx.`);
  const hasMark = head.subarray(0, 3).toString('hex') === 'efbbbf';
  const encoding = hasMark ? 'utf-8' : options.encoding;
  const mark = hasMark || encoding !== 'utf-8' ? '\uFEFF' : '';
  const text = new TextDecoder(encoding).decode(head);
  // Excel obeys such a first line, and does not count it as a row.
  const [line = '', delimiter] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const guessed = csvFormOf(text.slice(line.length));
  const form: FileForm = { format, mark, ...guessed, ...(delimiter && { delimiter }) };
  const stream = createReadStream(file);
  const texts = textsOf(file, encoding, stream);
  const rows =
    format === 'csv'
      ? await openSheet(file, csvRecords(file, texts, form.delimiter, line ? 2 : 1), reading)
      : { headings: [], rows: jsonlRows(texts, reading) };
  return { form, ...rows, progress: () => (size === 0 ? 1 : stream.bytesRead / size) };
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
  stream: AsyncIterable<Buffer>,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder(encoding, { fatal: true });
  try {
    for await (const chunk of stream) yield decoder.decode(chunk, { stream: true });
    yield decoder.decode();
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CommandError(
      `${file} is not UTF-8. If a spreadsheet on Windows wrote it, add --encoding windows-1252; else save it as CSV UTF-8.`,
      { cause },
    );
  }
}
