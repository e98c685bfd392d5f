import type { CellObject, Row, Cell as WrittenCell } from 'write-excel-file/node';
import type { Lead } from '../../../shared/leads/lead.ts';
import type { ExportColumn, WorkbookValue } from '../../../shared/leads/transfer/export-lines.ts';
import { CommandError } from '../../cli/command.ts';
import { firstOf } from '../../cli/format.ts';
import { type Cell, cellName, dayMs, daysBefore1970 } from './read-xlsx.ts';

/** The library keeps a workbook in memory. This many cells need 1.7 GB. */
const cellsMax = 4_000_000;
/** Excel's limit. */
const cellMaxChars = 32_767;

/** An Excel workbook of leads, for people. */
export class Workbook {
  /** Texts that did not fit into a cell. */
  readonly #cut: string[] = [];
  readonly #columns: readonly ExportColumn[];
  readonly #rows: Row[] = [];

  constructor(columns: readonly ExportColumn[]) {
    this.#columns = columns;
  }

  /** @throws CommandError if there are more leads than a workbook can have */
  add(leads: readonly Lead[]): void {
    for (const lead of leads) {
      const row = this.#columns.map(({ label, valueOf }) => {
        const value = valueOf(lead);
        if (typeof value === 'string' && value.length > cellMaxChars)
          this.#cut.push(`${label} of lead ${lead.id}`);
        return cellOf(value);
      });
      this.#rows.push(row);
    }
    const rowsMax = Math.floor(cellsMax / this.#columns.length);
    if (this.#rows.length <= rowsMax) return;
    throw new CommandError(
      `An .xlsx file with ${this.#columns.length} columns can have ${rowsMax} leads: choose leads with --stage or --owner, choose columns with --columns, or write a .csv file.`,
    );
  }

  content(): Promise<Buffer> {
    return workbookFile(
      this.#columns.map(({ label }) => label),
      this.#rows,
    );
  }

  /** A sentence about values that the file does not have. */
  get loss(): string | undefined {
    if (this.#cut.length === 0) return undefined;
    return `A cell holds ${cellMaxChars} characters, so these texts were cut: ${firstOf(this.#cut)}. A .csv file has them whole.`;
  }
}

/** An .xlsx file with one sheet. */
export async function workbookFile(
  headings: readonly string[],
  rows: readonly Row[],
): Promise<Buffer> {
  const { default: write } = await import('write-excel-file/node');
  const cells = headings.map((text) => ({ ...textCell(text), fontWeight: 'bold' }) as const);
  const columns = headings.map((heading, at) => ({ width: widthOf(heading, rows, at) }));
  const sheet = { sheet: 'Leads', stickyRowsCount: 1, columns };
  return write([cells, ...rows], sheet, {
    features: [filterOf(headings.length, rows.length + 1)],
  }).toBuffer();
}

const widthMaxChars = 60;
/** How many rows decide the column widths. A workbook can have a million rows, but a person sees only the first ones. */
const measuredRows = 1000;

/** Leaves room for the longest value, and for the heading with its filter button. */
function widthOf(heading: string, rows: readonly Row[], at: number): number {
  const lengths = rows.slice(0, measuredRows).map((row) => shownChars(row[at]));
  return Math.min(Math.max(heading.length + 3, ...lengths) + 1, widthMaxChars);
}

function shownChars(cell: WrittenCell | undefined): number {
  if (!isObject(cell)) return String(cell ?? '').length;
  const { value, type, format } = cell;
  if (type !== String && format !== undefined) return format.length;
  const lines = String(value ?? '').split('\n');
  return Math.max(...lines.map((line) => line.length));
}

const isObject = (cell: WrittenCell | undefined): cell is CellObject =>
  typeof cell === 'object' && cell !== null && 'type' in cell;

/** Makes the headings filter the rows. In a sheet's XML, the filter follows the data, which the library writes last. */
const filterOf = (columnCount: number, rowCount: number) => ({
  files: {
    transform: {
      'xl/worksheets/sheet{id}.xml': {
        insert: () => `<autoFilter ref="A1:${cellName(columnCount - 1, rowCount)}"/>`,
      },
    },
  },
});

/** A formula that an import refuses until somebody replaces it with a value. */
export const noResult = { type: 'Formula', value: '=NA()' } as const;

/** What a workbook can hold. */
export type WrittenValue = WorkbookValue | typeof noResult;

export function cellOf(value: WrittenValue): WrittenCell {
  if (typeof value === 'string') return textCell(value);
  if (!(value instanceof Date)) return value;
  const at = value.getTime();
  if (at % dayMs === 0) return { value, type: Date, format: 'yyyy-mm-dd' };
  // A workbook counts days since 1900. Programs truncate them to milliseconds, so a fraction of one compensates for rounding in the
  // division.
  const days = (at + 0.3) / dayMs + daysBefore1970;
  return { value: days, type: Number, format: 'yyyy-mm-dd hh:mm:ss' };
}

/**
 * The library looks up repeated texts in an object that inherits names such as `constructor`, so a space makes such a text different. The
 * format @ keeps phones, and texts that look like formulas, unchanged when somebody edits the cell.
 */
const textCell = (text: string) => ({
  value: text in {} ? `${text} ` : escaped(text.slice(0, cellMaxChars)),
  type: String,
  ...(/^[\d=+\-@]/.test(text) && { format: '@' }),
});

/**
 * XML has no control characters, and normalizes line breaks. So a workbook writes them as `_x000D_`, and must escape a text that looks like
 * `_x0041_`.
 */
const escaped = (text: string): string =>
  text.replace(
    /_(?=x[\da-f]{4}_)|[[\p{Cc}--[\t\n\x7f-\x9f]]\ufffe\uffff]/giv,
    (one) => `_x${one.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}_`,
  );

/** The day of a cell that has only a time of day. */
const firstDay = Date.UTC(1899, 11, 31);

/** A cell as text; dates and times in ISO 8601. */
export function textOfCell(cell: Cell | undefined): string {
  if (!(cell instanceof Date)) return String(cell ?? '');
  const text = cell.toISOString().replace('.000Z', 'Z');
  if (cell.getTime() < firstDay) return text.slice(11, 16);
  return text.endsWith('T00:00:00Z') ? text.slice(0, 10) : text;
}
