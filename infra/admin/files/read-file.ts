import { readFile } from 'node:fs/promises';
import { CsvError, parse } from 'csv-parse/sync';
import { CommandError } from '../../cli/command.ts';
import { refusePath } from '../../cli/error-code.ts';
import { readXlsx, type SheetRow } from './read-xlsx.ts';
import { noResult, type WrittenValue } from './workbook.ts';
import { LargeSheetError, NoWorkbookError } from './workbook-parts.ts';

/** The form in which a program wrote a file. The report has the same form, but is always UTF-8. */
export interface FileForm {
  readonly format: 'csv' | 'jsonl' | 'xlsx';
  /** The byte order mark of UTF-8, with which imports and spreadsheets recognize the report's encoding; empty if neither needs it. */
  readonly mark: '\uFEFF' | '';
  /** The delimiter of a CSV file. */
  readonly delimiter: string;
  readonly lineEnd: string;
}

/** A row that has at least one value. */
export interface TableRow extends SheetRow {
  /** The cells as written in the file, for the report. */
  readonly original: readonly WrittenValue[];
}

/** A table, or the lines of a JSONL file. */
export interface LeadsFile {
  readonly form: FileForm;
  /** The first row has the headings. */
  readonly rows: readonly TableRow[];
  readonly lines: readonly string[];
  /** The highest number of a row. */
  readonly lastRow: number;
  /** The workbook's sheet that was read. */
  readonly sheet: string | undefined;
  /** The number of rows that a workbook hides. */
  readonly hidden: number;
  readonly remarks: readonly string[];
}

export interface ReadOptions {
  /** The encoding of a file without a byte order mark. @default UTF-8 */
  readonly encoding?: string | undefined;
  /** The sheet of an .xlsx file. */
  readonly sheet?: string | undefined;
}

/** Reads a file of leads into memory. @throws CommandError if the file cannot be used */
export async function readLeadsFile(file: string, options: ReadOptions): Promise<LeadsFile> {
  const extension = /\.(xlsx|csv|jsonl|ndjson)$/i.exec(file)?.[1]?.toLowerCase();
  if (!extension)
    throw new CommandError(
      `${file} must end in .xlsx, .csv or .jsonl: save a table as .xlsx, in Excel with File, Save as.`,
    );
  if (options.sheet !== undefined && extension !== 'xlsx')
    throw new CommandError(`--sheet names a sheet of an .xlsx file: remove it for ${file}.`);
  const bytes = await readFile(file).catch((error: unknown) =>
    refusePath(`${file} cannot be imported`, error),
  );
  if (extension === 'xlsx') return workbook(file, bytes, options.sheet);
  if (bytes.toString('latin1', 0, 4) === 'PK\x03\x04')
    throw new CommandError(`${file} is an .xlsx workbook: name it .xlsx.`);
  const { text, mark } = textOf(file, bytes, options.encoding);
  return extension === 'csv' ? csvFile(file, text, mark) : jsonLines(text, mark);
}

function workbook(file: string, bytes: Buffer, wanted: string | undefined): LeadsFile {
  const form: FileForm = { format: 'xlsx', mark: '', delimiter: '', lineEnd: '' };
  try {
    const { name: sheet, rows, hidden, remarks } = readXlsx(bytes, wanted);
    const withOriginal = rows.map((row) => {
      const width = Math.max(
        row.cells.length,
        ...[...row.withoutResult.keys()].map((at) => at + 1),
      );
      const original = Array.from({ length: width }, (_, at) =>
        row.withoutResult.has(at) ? noResult : (row.cells[at] ?? null),
      );
      return { ...row, original };
    });
    const lastRow = rows.at(-1)?.number ?? 0;
    return { form, rows: withOriginal, lines: [], lastRow, sheet, hidden, remarks };
  } catch (cause) {
    if (cause instanceof RangeError && wanted !== undefined)
      throw new CommandError(`${file} has no sheet ${JSON.stringify(wanted)}: ${cause.message}.`, {
        cause,
      });
    if (cause instanceof LargeSheetError)
      throw new CommandError(
        `${file} is too large: delete what is beside and below the table, or save it as CSV UTF-8.`,
        { cause },
      );
    if (!(cause instanceof NoWorkbookError)) throw cause;
    throw new CommandError(
      `${file} is not an .xlsx workbook: save it as .xlsx in a spreadsheet program, without a password.`,
      { cause },
    );
  }
}

const noWorkbook = { sheet: undefined, hidden: 0, remarks: [] };

function jsonLines(text: string, mark: FileForm['mark']): LeadsFile {
  const lines = text.split('\n'); // JSON may contain other line separators.
  const form: FileForm = { format: 'jsonl', mark, delimiter: ',', lineEnd: '\n' };
  return { ...noWorkbook, form, rows: [], lines, lastRow: lines.length };
}

/** By the first bytes of a file: https://encoding.spec.whatwg.org/#bom-sniff */
const encodingsByMark = [
  ['efbbbf', 'utf-8'],
  ['fffe', 'utf-16le'],
  ['feff', 'utf-16be'],
] as const;

/** The text of a file, without its byte order mark. @throws CommandError if the bytes are not valid in the encoding */
function textOf(
  file: string,
  bytes: Buffer,
  named: string | undefined,
): { text: string; mark: FileForm['mark'] } {
  const start = bytes.subarray(0, 3).toString('hex');
  const byMark = encodingsByMark.find(([mark]) => start.startsWith(mark))?.[1];
  const encoding = byMark ?? named ?? 'utf-8';
  const mark = encoding === 'utf-8' && byMark === undefined ? '' : '\uFEFF';
  const decoder = new TextDecoder(encoding, { fatal: true });
  if (!decoder.encoding.startsWith('utf-16') && bytes.subarray(0, 1000).includes(0))
    throw new CommandError(
      `${file} looks like UTF-16 without a byte order mark: add --encoding utf-16le, or save it as CSV UTF-8.`,
    );
  try {
    return { text: decoder.decode(bytes), mark };
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new CommandError(
      encoding === 'utf-8'
        ? `${file} is not UTF-8. If a spreadsheet on Windows wrote it, add --encoding windows-1252, or the code page of its language, such as windows-1251; else save it as CSV UTF-8.`
        : `${file} is not ${encoding}: name another --encoding, or save it as CSV UTF-8.`,
      { cause },
    );
  }
}

const delimiters = [',', ';', '\t', '|'];
/** How many rows are enough to find the delimiter. */
const sampleRows = 50;

function csvFile(file: string, text: string, mark: FileForm['mark']): LeadsFile {
  // Excel obeys such a first line and does not count it as a row.
  const [line = '', named] = /^sep=(.)\r?\n/i.exec(text) ?? [];
  const table = text.slice(line.length);
  const lineEnd = /\r\n|\r|\n/.exec(table)?.[0] ?? '\n';
  const delimiter = named ?? delimiterOf(file, table);
  const form: FileForm = { format: 'csv', mark, delimiter, lineEnd };
  const rows = recordsIn(file, table, delimiter).filter(({ cells }) =>
    cells.some((cell) => String(cell).trim() !== ''),
  );
  return { ...noWorkbook, form, rows, lines: [], lastRow: rows.at(-1)?.number ?? 0 };
}

/**
 * The delimiter that splits the most rows into as many cells as there are headings. If several do, the one that splits the headings into
 * the most cells. A cell with an odd number of quotes was cut in two.
 * @throws CommandError if two split the rows equally well
 */
function delimiterOf(file: string, text: string): string {
  const candidates = delimiters.flatMap((delimiter) => {
    let rows: TableRow[];
    try {
      rows = recordsIn(file, text, delimiter, sampleRows);
    } catch {
      return [];
    }
    const columns = rows[0]?.cells.length ?? 0;
    const isWhole = (cell: unknown): boolean => (String(cell).match(/"/g) ?? []).length % 2 === 0;
    const fits = rows.filter(
      ({ cells, original }) => cells.length === columns && original.every(isWhole),
    ).length;
    return columns > 1 ? [{ delimiter, columns, share: fits / rows.length }] : [];
  });
  const [best, second] = candidates.sort((a, b) => b.share - a.share || b.columns - a.columns);
  // Nobody types a tab into a text.
  const tabs = candidates.find(({ delimiter }) => delimiter === '\t');
  if (best && best.share === tabs?.share && best.columns === tabs.columns) return '\t';
  if (best && best.share === second?.share && best.columns === second.columns)
    throw new CommandError(
      `${file} can be read with ${JSON.stringify(best.delimiter)} or with ${JSON.stringify(second.delimiter)} between its cells: write sep=${best.delimiter} or sep=${second.delimiter} as its first line.`,
    );
  return best?.delimiter ?? ',';
}

/** Some programs write a text as a formula, so that a spreadsheet keeps its leading zeros: `="00123"`. */
const contentOf = (cell: string): string =>
  /^\s*="((?:[^"]|"")*)"\s*$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;

const none: SheetRow['withoutResult'] = new Map();

/** @param most the maximum number of rows to read @throws CommandError */
function recordsIn(file: string, text: string, delimiter: string, most?: number): TableRow[] {
  const records = (areQuotesRelaxed: boolean) =>
    parse(text, {
      delimiter,
      // Programs that append to a file may end their rows differently.
      record_delimiter: ['\r\n', '\n', '\r'],
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      relax_quotes: areQuotesRelaxed,
      ...(most !== undefined && { to: most }),
    }) as unknown as { record: string[]; info: { records: number; empty_lines: number } }[];
  const rowsOf = (all: ReturnType<typeof records>): TableRow[] =>
    all.map(({ record: original, info }) => ({
      number: info.records + info.empty_lines,
      original,
      cells: original.map(contentOf),
      withoutResult: none,
    }));
  try {
    return rowsOf(records(false));
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
  }
  try {
    const rows = rowsOf(records(true));
    // An unescaped quote, as in "5 inch, hides every row up to the next quote.
    const swallowed = rows.find(({ original }) =>
      original.some((cell) => String(cell).startsWith('"') && /[\r\n]/.test(String(cell))),
    );
    if (!swallowed) return rows;
    throw new CommandError(
      `${file}: a quote in row ${swallowed.number} is not closed, and hides the rows that follow: double each quote within a text.`,
    );
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new CommandError(`${file} is not a CSV file: ${cause.message}.`, { cause });
  }
}
