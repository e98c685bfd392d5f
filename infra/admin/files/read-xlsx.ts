import type { WorkbookValue } from '../../../shared/leads/transfer/export-lines.ts';
import { addedBy, type NumberFormat, numberFormatsIn } from './number-formats.ts';
import {
  isTrue,
  LargeSheetError,
  NoWorkbookError,
  sharedStringsIn,
  tooLarge,
  unescaped,
  type Workbook,
  workbookIn,
} from './workbook-parts.ts';
import { type Attributes, attributesIn, decoded, eachTag, type Tag } from './xml.ts';

/** A cell of a sheet; null if it is empty. A date has no time zone: it is read as UTC. */
export type Cell = WorkbookValue;

/** A row that has a value, a formula's error, or a formula without a result. */
export interface SheetRow {
  /** As a spreadsheet counts, beginning with 1. */
  readonly number: number;
  /** The cells by column. Empty cells at the end may be missing. */
  readonly cells: readonly Cell[];
  /**
   * The names of cells with a formula but no result, by column. A program that cannot calculate writes no result, or writes 0 and asks the
   * next program to calculate. An empty text is a result.
   */
  readonly withoutResult: ReadonlyMap<number, string>;
}

export interface Sheet {
  readonly name: string;
  /** The rows that a spreadsheet program shows. */
  readonly rows: readonly SheetRow[];
  /** The number of hidden rows. */
  readonly hidden: number;
  /** Sentences about values that a reader of the file sees differently from how they are read. */
  readonly remarks: readonly string[];
}

/** More than a million rows with 40 columns. A cell in the last column of each row needs as much memory as a full sheet. */
const cellsMax = 50_000_000;
/** A formula without a result needs the memory of this many cells. */
const formulaCells = 50;
/** The limits of Excel. */
const [columnsMax, rowsMax] = [16_384, 1_048_576];

export const dayMs = 86_400_000;
/** A workbook counts days from the end of 1899. */
export const daysBefore1970 = 25_569;
const daysBefore1904 = 1462;
/** 9999-12-31 */
const lastDay = 2_958_466;

/** @throws NoWorkbookError; RangeError if no sheet has the name @param sheet the sheet's name; undefined for the first visible one */
export function readXlsx(bytes: Uint8Array, sheet?: string): Sheet {
  let book: Workbook;
  try {
    book = workbookIn(bytes);
  } catch (cause) {
    if (cause instanceof LargeSheetError) throw cause;
    throw new NoWorkbookError('The bytes are no ZIP archive.', { cause });
  }
  if (book.sheets.length === 0) throw new NoWorkbookError('The archive has no sheets.');
  const found =
    sheet === undefined
      ? (book.sheets.find(({ isHidden }) => !isHidden) ?? book.sheets[0])
      : book.sheets.find(({ name }) => name === sheet);
  if (!found)
    throw new RangeError(
      `its sheets are ${book.sheets.map(({ name }) => JSON.stringify(name)).join(', ')}`,
    );
  const xml = book.open(found.path);
  if (!/<\/(?:\w+:)?worksheet>\s*$/.test(xml))
    throw new NoWorkbookError('The sheet is incomplete.');
  const reader = new SheetReader(xml, book);
  eachTag(xml, (tag) => reader.read(tag));
  return { name: found.name, ...reader.sheet };
}

const asksForCalculation = /<(?:\w+:)?sheetCalcPr\s[^<>]*fullCalcOnLoad=["'](?:1|true)["']/;

/** A cell while its tags are read. */
interface OpenCell {
  readonly column: number;
  readonly type: string;
  readonly style: number;
  text: string;
  hasValue: boolean;
  formula: Attributes | undefined;
}

interface OpenRow extends SheetRow {
  readonly cells: Cell[];
  readonly withoutResult: Map<number, string>;
}

/** Collects the rows of a sheet, tag by tag. */
class SheetReader {
  readonly #strings: readonly string[];
  readonly #formats: readonly NumberFormat[];
  readonly #mustCalculate: boolean;
  readonly #daysBefore1970: number;
  readonly #rows = new Map<number, OpenRow>();
  readonly #hidden = new Set<number>();
  /** Numbers whose format shows another text, by column and by what the format adds. Has the first cell, and the number of cells. */
  readonly #shown = new Map<string, { readonly first: string; readonly count: number }>();
  readonly #merged: string[] = [];
  #row = 0;
  #column = -1;
  /** How many places the rows have, empty ones included. */
  #cells = 0;
  #cell: OpenCell | undefined;
  #isSpoken = false;

  constructor(xml: string, book: Workbook) {
    this.#strings = sharedStringsIn(book.open(book.stringsPath));
    this.#formats = numberFormatsIn(book.open(book.stylesPath));
    this.#mustCalculate = book.mustCalculate || asksForCalculation.test(xml);
    this.#daysBefore1970 = daysBefore1970 - (book.is1904 ? daysBefore1904 : 0);
  }

  read({ name, attributes, isClosing, text }: Tag): void {
    const cell = this.#cell;
    if (name === 'rPh') this.#isSpoken = !isClosing;
    else if (name === 'c' && isClosing) this.#closeCell();
    else if (isClosing) return;
    else if (name === 'row') this.#openRow(attributesIn(attributes));
    else if (name === 'c') this.#openCell(attributesIn(attributes));
    else if (name === 'mergeCell') this.#merged.push(attributesIn(attributes).ref ?? '');
    else if (name === 'f' && cell) cell.formula = attributesIn(attributes);
    else if ((name === 'v' || name === 't') && cell && !this.#isSpoken) {
      cell.hasValue = true;
      cell.text += decoded(text);
    }
  }

  get sheet(): Omit<Sheet, 'name'> {
    const all = [...this.#rows.values()].sort((a, b) => a.number - b.number);
    const rows = all.filter(({ number }) => !this.#hidden.has(number));
    const remarks = remarksOf(this.#shown, this.#merged);
    return { rows, hidden: all.length - rows.length, remarks };
  }

  /** If the number of a row or the name of a cell is missing, counting continues from the previous one. */
  #openRow({ r, hidden, ht }: Attributes): void {
    [this.#row, this.#column] = [Number(r ?? this.#row + 1), -1];
    if (!isWithin(this.#row, rowsMax)) throw new NoWorkbookError(`No sheet has a row ${r}.`);
    if (isTrue(hidden) || ht === '0') this.#hidden.add(this.#row);
  }

  #openCell({ r, t: type = 'n', s: style = '0' }: Attributes): void {
    this.#column = r === undefined ? this.#column + 1 : columnOf(r);
    if (!isWithin(this.#column + 1, columnsMax))
      throw new NoWorkbookError(`No sheet has a cell ${r}.`);
    const cell = { column: this.#column, type, style: Number(style) };
    this.#cell = { ...cell, text: '', hasValue: false, formula: undefined };
  }

  #closeCell(): void {
    const cell = this.#cell;
    this.#cell = undefined;
    if (!cell) return;
    const { formula, type, column } = cell;
    const hasResult = cell.hasValue && (type === 'str' || cell.text.trim() !== '');
    if (formula && (this.#mustCalculate || !hasResult)) {
      const own = cellName(column, this.#row);
      for (const one of cellsOf((formula.t === 'array' && formula.ref) || own)) {
        this.#countCells(formulaCells);
        this.#rowAt(one.row).withoutResult.set(one.column, one.name);
      }
    }
    const value = this.#valueOf(cell);
    // A formula's error is an empty cell, but its row counts.
    if (value === null && type !== 'e') return;
    const { cells } = this.#rowAt(this.#row);
    this.#countCells(column + 1 - cells.length);
    while (cells.length < column) cells.push(null);
    cells[column] = value;
  }

  #countCells(more: number): void {
    this.#cells += Math.max(0, more);
    if (this.#cells > cellsMax) throw tooLarge();
  }

  #rowAt(number: number): OpenRow {
    const row = this.#rows.get(number) ?? { number, cells: [], withoutResult: new Map() };
    this.#rows.set(number, row);
    return row;
  }

  #stringAt(position: number): string {
    const text = this.#strings[position];
    if (text === undefined) throw new NoWorkbookError('A cell names a text that is missing.');
    return text;
  }

  #valueOf(cell: OpenCell): Cell {
    const { type, text } = cell;
    if (type === 's') return text.trim() === '' ? null : this.#stringAt(Number(text));
    if (type === 'str' || type === 'inlineStr') return text === '' ? null : unescaped(text);
    if (!cell.hasValue || text.trim() === '' || type === 'e') return null;
    if (type === 'b') return isTrue(text.trim().toLowerCase());
    if (type === 'd') {
      const date = new Date(/T.*(?:Z|[+-]\d\d:?\d\d)$/.test(text) ? text : `${text}Z`);
      return Number.isNaN(date.getTime()) ? text : date;
    }
    return this.#numberOf(cell);
  }

  #numberOf({ style, text, column }: OpenCell): Cell {
    const value = Number(text);
    if (!Number.isFinite(value)) return text;
    const format = this.#formats[style];
    // A phone in a column of dates is a number: a spreadsheet shows it as ####.
    if (format?.isDate && value >= 0 && value <= lastDay)
      return new Date(Math.round((value - this.#daysBefore1970) * dayMs));
    const added = format && addedBy(format.code, value);
    if (added === undefined) return value;
    const key = `${column} ${added}`;
    const first = `${cellName(column, this.#row)} holds ${text} and shows it ${added}`;
    const before = this.#shown.get(key) ?? { first, count: 0 };
    this.#shown.set(key, { ...before, count: before.count + 1 });
    return value;
  }
}

const isWithin = (number: number, max: number): boolean =>
  Number.isInteger(number) && number >= 1 && number <= max;

const mergedMax = 5;

function remarksOf(
  shown: ReadonlyMap<string, { readonly first: string; readonly count: number }>,
  merged: readonly string[],
): string[] {
  const formats = [...shown.values()].map(
    ({ first, count }) =>
      `Cell ${first}${count > 1 ? `, and ${count - 1} more cells of the column` : ''}: what the cell holds is read. To keep what it shows, type it as text.`,
  );
  if (merged.length === 0) return formats;
  const more = merged.length > mergedMax ? `, and ${merged.length - mergedMax} more` : '';
  return [
    ...formats,
    `Merged cells: ${merged.slice(0, mergedMax).join(', ')}${more}. Only the first cell of each has its value, the others are read as empty.`,
  ];
}

const columnOf = (cell: string): number =>
  [...cell.replace(/\d+$/, '')].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) -
  1;
const lettersIn = (column: number): string =>
  column < 0
    ? ''
    : lettersIn(Math.floor(column / 26) - 1) + String.fromCharCode(65 + (column % 26));
/** `A1` for the column 0. */
export const cellName = (column: number, row: number): string => `${lettersIn(column)}${row}`;
const rowOf = (cell: string): number => Number(/\d+$/.exec(cell)?.[0] ?? 0);

function* cellsOf(range: string): Generator<{ row: number; column: number; name: string }> {
  const [first = '', last = first] = range.split(':');
  for (let row = rowOf(first); row <= rowOf(last); row += 1)
    for (let column = columnOf(first); column <= columnOf(last); column += 1)
      yield { row, column, name: cellName(column, row) };
}
