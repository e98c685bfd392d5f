import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { isPlainObject, parseJson } from '../../../shared/json.ts';
import { FieldIssue, type RawValue } from '../../../shared/leads/field-types.ts';
import { rawFromCell } from '../../../shared/leads/transfer/csv-cells.ts';
import {
  exportedProperties,
  exportMark,
  targetNamed,
  unknownColumn,
} from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow, RowValue } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { cellReader, type FormatOptions, hintFor } from './cell-formats.ts';
import { type Column, type ColumnMapping, nameless } from './mapping.ts';
import { type Cell, textOfCell } from './workbook.ts';

/** One row of a file. */
export interface FileRow {
  /** The row of a spreadsheet, whose headings are row 1, or the line of a JSONL file. */
  readonly number: number;
  /** The cells or the object, for the report. */
  readonly original: object;
  /** Why the row cannot be read, in a sentence. It has no values then. */
  readonly issue?: string;
  /** The values as the file has them, by which a repeated import recognizes the row, whatever its options are. */
  readonly sent: ImportRow;
  /** The values as the options read them. */
  readonly read: ImportRow;
  /** How an issue names the column of a field or property, and the end of the issue: the option by which the value could be read. */
  readonly columnOf: (name: string) => { readonly label: string; readonly hint: string };
}

type ReadRow = Omit<FileRow, 'number' | 'original'>;

/** How the rows of a file are read. */
export interface RowOptions {
  readonly organization: Organization;
  readonly mapping: ColumnMapping;
  readonly formats: FormatOptions;
}

/** One value of a row. */
interface FileValue extends Column {
  readonly raw: RawValue;
}

/** Reads the headings of a CSV file or a sheet, whose rows are read as they are iterated. @throws CommandError for an empty file or an unknown column */
export async function openSheet(
  file: string,
  records: AsyncGenerator<SheetRecord, undefined>,
  options: RowOptions,
): Promise<{ readonly headings: readonly string[]; readonly rows: AsyncGenerator<FileRow> }> {
  const first = await records.next();
  if (first.done) throw new CommandError(`${file} is empty: its first row must have the headings.`);
  const headings = first.value.cells.map((cell) => textOfCell(cell));
  const columns = options.mapping.columnsOf(headings, file);
  const markAt = columns.findIndex(({ target }) => target.property === 'mark');
  const readRow = rowReader(options, headings);
  const rowOfCells = (cells: readonly Cell[]): ReadRow => {
    if (cells.length !== headings.length)
      return unreadable(
        `The row has ${countOf(cells.length, 'cell')} for ${countOf(headings.length, 'heading')}.`,
      );
    const isMarked = exportMark.isOne(cells[markAt]);
    const values = columns.map((column, at) => {
      const { field } = column.target;
      const cell = cells[at];
      const isNumber = typeof cell === 'number' && field?.type === 'number';
      const text = textOfCell(cell, isMarked);
      return { ...column, raw: isNumber ? cell : rawFromCell(text, field?.type, isMarked) };
    });
    return readRow(values);
  };
  async function* rows(): AsyncGenerator<FileRow> {
    for await (const { number, cells } of records) {
      const isEmpty = cells.every((cell) => textOfCell(cell).trim() === ''); // As spreadsheets write rows that were cleared.
      if (!isEmpty) yield { number, original: cells, ...rowOfCells(cells) };
    }
  }
  return { headings, rows: rows() };
}

export interface SheetRecord {
  readonly number: number;
  readonly cells: readonly Cell[];
}

export async function* csvRecords(
  file: string,
  texts: AsyncIterable<string>,
  delimiter: string,
  firstLine: 1 | 2,
): AsyncGenerator<SheetRecord, undefined> {
  const parser = parse({
    delimiter,
    from_line: firstLine,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    relax_quotes: true,
  });
  const reading = pipeline(Readable.from(texts), parser);
  reading.catch(() => undefined); // The loop below throws the same error.
  const parsed: AsyncIterable<{
    record: string[];
    info: { records: number; empty_lines: number };
  }> = parser;
  try {
    for await (const { record, info } of parsed) {
      yield { number: info.records + info.empty_lines, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(`${file} is not a CSV file: ${error.message}.`, { cause: error });
  }
}

/** The rows of a JSONL file, read as they are iterated. */
export async function* jsonlRows(
  texts: AsyncIterable<string>,
  options: RowOptions,
): AsyncGenerator<FileRow> {
  const readRow = rowReader(options);
  let number = 0;
  for await (const line of linesOf(texts)) {
    number += 1;
    if (line.trim() === '') continue;
    const object = parseJson(line);
    const original = isPlainObject(object) ? object : { text: line };
    const values = valuesOf(object, options);
    const row = typeof values === 'string' ? unreadable(values) : readRow(values);
    yield { number, original, ...row };
  }
}

/** Splits at line feeds only: JSON may contain other line separators. */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/**
 * The values of a line. Fields are in `fields`, as an export writes them, or among the other properties.
 * @returns a sentence if they cannot be read
 */
function valuesOf(
  object: unknown,
  { organization, mapping }: RowOptions,
): readonly FileValue[] | string {
  if (!isPlainObject(object)) return 'The line is not a JSON object.';
  const { fields, ...others } = object;
  if (fields !== undefined && !isPlainObject(fields))
    return 'fields must be an object of values by field key.';
  const values: FileValue[] = [];
  const own = Object.entries(others);
  for (const [at, [column, raw]] of [...own, ...Object.entries(fields ?? {})].entries()) {
    const hasFieldsObject = fields !== undefined && at < own.length;
    const target = mapping.targetOf(column, hasFieldsObject);
    if (!target) return `${JSON.stringify(column)} ${unknownColumn(organization, column)}`;
    if (!isRaw(raw))
      return `${column} must be a string, a number, true, false, a list of strings, or null.`;
    values.push({ column, target, raw });
  }
  const [issue] = mapping.issuesOf(values, 'The line');
  return issue ?? values;
}

const isRaw = (value: unknown): value is RawValue =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));

const noValues: ImportRow = { fields: {}, properties: {} };

const unreadable = (issue: string): ReadRow => ({
  issue,
  sent: noValues,
  read: noValues,
  columnOf: (label) => ({ label, hint: '' }),
});

/**
 * Reads the values of rows. The values of a row that lead export wrote are not converted.
 * @param headings of the file; undefined for JSON lines, whose properties differ from line to line
 */
function rowReader(
  { organization, formats }: RowOptions,
  headings?: readonly string[],
): (values: readonly FileValue[]) => ReadRow {
  const readCell = cellReader(formats, headings);
  return (values) => {
    const sent = importRow(values);
    const { mark = null } = sent.properties;
    if (mark !== null && !exportMark.isOne(mark))
      return unreadable(
        `${exportedProperties.mark} must be empty, or as lead export wrote it, such as ${exportMark.of(1)}.`,
      );
    if (values.some(({ target, raw }) => target === nameless && !isBlank(raw)))
      return unreadable(
        "A column without a heading has a value: give it a heading, or add --ignore ''.",
      );
    const isExported = mark !== null;
    const converted = () => values.map((value) => ({ ...value, raw: readCell(value, value.raw) }));
    const columnOf: FileRow['columnOf'] = (name) => {
      // The rules call some columns by another name, such as stageId.
      const target = targetNamed(organization, name)?.name;
      const value = values.findLast((one) => one.target.name === target);
      if (!value) return { label: name, hint: '' };
      const { column, raw } = value;
      const isNamedSo = column === name || column === target;
      const label = isNamedSo ? name : `${name} (column ${JSON.stringify(column)})`;
      const text = typeof raw === 'string' && !isExported ? raw.trim() : '';
      return { label, hint: text === '' ? '' : hintFor(value, text, formats) };
    };
    return { sent, read: isExported ? sent : importRow(converted()), columnOf };
  };
}

const isBlank = (raw: RowValue | undefined): raw is null | undefined =>
  raw === undefined || raw === null || String(raw).trim() === '';

/** The value of a field that several columns may be mapped to. */
function joined(before: RowValue | undefined, raw: RowValue): RowValue {
  if (isBlank(before)) return raw;
  return isBlank(raw) ? before : `${String(before).trim()} ${String(raw).trim()}`;
}

function importRow(values: readonly (Column & { readonly raw: RowValue })[]): ImportRow {
  const fields: Record<string, RowValue> = {};
  const properties: Record<string, RawValue> = {};
  for (const { target, raw } of values) {
    const { field, property } = target;
    if (field)
      fields[field.key] = Object.hasOwn(fields, field.key) ? joined(fields[field.key], raw) : raw;
    else if (property && !(raw instanceof FieldIssue)) properties[property] = raw;
  }
  return { fields, properties };
}
