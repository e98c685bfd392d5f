import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { isPlainObject, parseJson } from '../../../shared/json.ts';
import { FieldIssue, type RawValue } from '../../../shared/leads/field-types.ts';
import { rawFromCell } from '../../../shared/leads/transfer/csv-cells.ts';
import { exportMark, unknownColumn } from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { cellReader, type FileTerms, type FormatOptions, type ReadCell } from './cell-formats.ts';
import { type Column, type ColumnMapping, targetName } from './mapping.ts';
import { type Cell, textOfCell } from './workbook.ts';

/** One row of a file. */
export interface FileRow {
  /** The row of a spreadsheet, whose headings are row 1, or the line of a JSONL file. */
  readonly number: number;
  /** The row's values; a sentence if they cannot be read. */
  readonly read: ImportRow | string;
  /** The values as the file has them, by which a repeated import recognizes the row, whatever its options are. */
  readonly sent?: ImportRow;
  /** The cells or the object, for the report. */
  readonly original: object;
}

/** What the rows of a file are read into. */
export interface FileRows extends FileTerms {
  /** Empty for JSONL. */
  readonly headings: readonly string[];
  readonly rows: AsyncGenerator<FileRow>;
}

/** How the rows of a file are read. */
export interface RowOptions {
  readonly organization: Organization;
  readonly mapping: ColumnMapping;
  readonly formats: FormatOptions;
  /** Added to the refusal of a first row that is a title. */
  readonly hint?: string;
}

/** One value of a row. */
interface FileValue extends Column {
  readonly raw: RawValue;
}

/** Reads the headings of a CSV file or a sheet, whose rows are read as they are iterated. @throws CommandError for an empty file or an unknown column */
export async function openSheet(
  file: string,
  records: AsyncGenerator<SheetRecord, undefined>,
  { organization, mapping, formats, hint }: RowOptions,
): Promise<FileRows> {
  const first = await records.next();
  if (first.done) throw new CommandError(`${file} is empty: its first row must have the headings.`);
  const headings = first.value.cells.map((cell) => textOfCell(cell));
  const columns = mapping.columnsOf(headings, file, hint);
  const names = columns.flatMap(({ column, target }) => {
    const name = targetName(target);
    return name === undefined || name === column ? [] : [[name, column] as const];
  });
  const types = columns.map(({ target }) =>
    target.kind === 'field' ? organization.fieldByKey.get(target.fieldKey)?.type : undefined,
  );
  const markAt = columns.findIndex(({ target }) => target.kind === 'mark');
  const readCell = cellReader(organization, formats, headings);
  const rowOfCells = (cells: readonly Cell[]): Omit<FileRow, 'number' | 'original'> => {
    if (cells.length !== headings.length)
      return {
        read: `The row has ${countOf(cells.length, 'cell')} for ${countOf(headings.length, 'heading')}.`,
      };
    const isMarked = exportMark.isOne(cells[markAt]);
    const values = columns.map((column, at) => {
      const cell = cells[at];
      const isNumber = typeof cell === 'number' && types[at] === 'number';
      const text = textOfCell(cell, isMarked);
      return { ...column, raw: isNumber ? cell : rawFromCell(text, types[at], isMarked) };
    });
    return rowOf(values, readCell);
  };
  async function* rows(): AsyncGenerator<FileRow> {
    for await (const { number, cells } of records) {
      const isEmpty = cells.every((cell) => textOfCell(cell).trim() === ''); // As spreadsheets write rows that were cleared.
      if (!isEmpty) yield { number, original: cells, ...rowOfCells(cells) };
    }
  }
  return { headings, headingOf: new Map(names), formats, rows: rows() };
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
  { organization, mapping, formats }: RowOptions,
): AsyncGenerator<FileRow> {
  const readCell = cellReader(organization, formats, undefined);
  let number = 0;
  for await (const line of linesOf(texts)) {
    number += 1;
    if (line.trim() === '') continue;
    const object = parseJson(line);
    if (!isPlainObject(object)) {
      yield { number, original: { text: line }, read: 'The line is not a JSON object.' };
      continue;
    }
    const values = valuesOf(object, organization, mapping);
    const row = typeof values === 'string' ? { read: values } : rowOf(values, readCell);
    yield { number, original: object, ...row };
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
 * The values of an object. Fields are in `fields`, as an export writes them, or among the other properties.
 * @returns a sentence if they cannot be read
 */
function valuesOf(
  { fields, ...others }: Readonly<Record<string, unknown>>,
  organization: Organization,
  mapping: ColumnMapping,
): readonly FileValue[] | string {
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
  const [issue] = mapping.issuesOf(values, { subject: 'The line', mark: exportMark.property });
  return issue ?? values;
}

const isRaw = (value: unknown): value is RawValue =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));

/** The values of a row for the rules, and as they were sent. @param readCell not used for a row that lead export wrote */
function rowOf(values: readonly FileValue[], readCell: ReadCell): Pick<FileRow, 'read' | 'sent'> {
  const mark = values.find(({ target }) => target.kind === 'mark')?.raw ?? null;
  if (mark !== null && !exportMark.isOne(mark)) {
    const read = `${exportMark.heading} must be empty, or as lead export wrote it, such as ${exportMark.of(1)}.`;
    return { read };
  }
  if (values.some(({ target, raw }) => target.kind === 'nameless' && !isBlank(raw)))
    return {
      read: "A column without a heading has a value: give it a heading, or add --ignore ''.",
    };
  const isExported = mark !== null;
  const sent = importRow(values, isExported);
  if (isExported) return { read: sent, sent };
  const unreadable: Record<string, FieldIssue> = {};
  const converted = values.map((value) => {
    const { column, target, raw } = value;
    const read = readCell(column, target, raw);
    if (!(read instanceof FieldIssue)) return { ...value, raw: read };
    if (target.kind === 'field') unreadable[target.fieldKey] = read;
    return { ...value, raw: null };
  });
  return { read: { ...importRow(converted, false), unreadable }, sent };
}

const isBlank = (raw: RawValue | undefined): raw is null | undefined =>
  raw === undefined || raw === null || String(raw).trim() === '';

/** The value of a field that several columns may be mapped to. */
function joined(before: RawValue | undefined, raw: RawValue): RawValue {
  if (isBlank(before)) return raw;
  return isBlank(raw) ? before : `${String(before).trim()} ${String(raw).trim()}`;
}

function importRow(values: readonly FileValue[], isExported: boolean): ImportRow {
  const fields: Record<string, RawValue> = {};
  const properties: Record<string, RawValue> = {};
  let note: RawValue = null;
  for (const { target, raw } of values) {
    if (target.kind === 'field') {
      const { fieldKey } = target;
      fields[fieldKey] = Object.hasOwn(fields, fieldKey) ? joined(fields[fieldKey], raw) : raw;
    }
    if (target.kind === 'property') properties[target.property] = raw;
    if (target.kind === 'note') note = raw;
  }
  return { isExported, fields, properties, ...(note !== null && { note }) };
}
