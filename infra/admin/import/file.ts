import { readFile } from 'node:fs/promises';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { refusePath } from '../../cli/error-code.ts';
import type { FormatOptions } from '../files/cell-formats.ts';
import { noResult, readWorkbook } from '../files/workbook.ts';
import { ColumnMapping, type MappingOptions } from './mapping.ts';
import { csvRecords, type FileRow, jsonlRows, type RowOptions, sheetRows } from './rows.ts';

export const encodings = ['utf-8', 'windows-1252'] as const;
export type Encoding = (typeof encodings)[number];

/** How a program writes a file. The report has the same form, but its text is always UTF-8. */
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
  /** Read by the options as they are iterated. */
  readonly rows: Iterable<FileRow>;
  /** The highest number of a row. */
  readonly lastRow: number;
}

export interface FileOptions extends MappingOptions, FormatOptions {
  /** Of a file without a byte order mark. */
  readonly encoding: Encoding;
  /** Of an .xlsx file. */
  readonly sheet?: string;
}

/** Reads a file of leads into memory. @throws CommandError for a file that cannot be used */
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
  const bytes = await readFile(file).catch((error: unknown) =>
    refusePath(`${file} cannot be imported`, error),
  );
  const reading = { organization, mapping, formats: options };
  if (extension !== 'xlsx')
    return readText(file, extension === 'csv' ? 'csv' : 'jsonl', bytes, reading);
  const { rows, withoutResult } = await readWorkbook(file, bytes, options.sheet);
  let lastRow = rows.length;
  for (const row of withoutResult.keys()) lastRow = Math.max(lastRow, row);
  const records = Array.from({ length: lastRow }, (_, at) => {
    const cells = rows[at] ?? rows[0]?.map(() => null) ?? [];
    const unread = withoutResult.get(at + 1);
    const original = cells.map((cell, column) => (unread?.has(column) ? noResult : cell));
    return { number: at + 1, original, cells, withoutResult: unread };
  });
  const form: FileForm = { format: 'xlsx', mark: '', delimiter: '', lineEnd: '' };
  return { form, ...sheetRows(file, records, reading), lastRow };
}

function readText(
  file: string,
  format: 'csv' | 'jsonl',
  bytes: Buffer,
  reading: RowOptions & { readonly formats: FileOptions },
): ImportFile {
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04')
    throw new CommandError(`${file} is an .xlsx workbook: name it .xlsx.`);
  const hasMark = bytes.subarray(0, 3).toString('hex') === 'efbbbf';
  const encoding = hasMark ? 'utf-8' : reading.formats.encoding;
  const mark = hasMark || encoding !== 'utf-8' ? '\uFEFF' : '';
  const text = textOf(file, bytes, encoding);
  // Excel obeys such a first line, and does not count it as a row.
  const [line = '', delimiter] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const table = text.slice(line.length);
  const form: FileForm = { format, mark, ...csvFormOf(table), ...(delimiter && { delimiter }) };
  if (format === 'jsonl') {
    const lines = text.split('\n'); // JSON may contain other line separators.
    return { form, headings: [], rows: jsonlRows(lines, reading), lastRow: lines.length };
  }
  const records = csvRecords(file, table, form.delimiter);
  return { form, ...sheetRows(file, records, reading), lastRow: records.at(-1)?.number ?? 0 };
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

/** @throws CommandError for bytes that are not of the encoding */
function textOf(file: string, bytes: Buffer, encoding: Encoding): string {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes);
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CommandError(
      `${file} is not UTF-8. If a spreadsheet on Windows wrote it, add --encoding windows-1252; else save it as CSV UTF-8.`,
      { cause },
    );
  }
}
