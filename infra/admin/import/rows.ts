import { CsvError, parse } from 'csv-parse/sync';
import { isPlainObject, parseJson } from '../../../shared/base/json.ts';
import { ValidationFailed } from '../../../shared/contract/refusals.ts';
import { FieldIssue, type RawValue } from '../../../shared/leads/field-values.ts';
import { isFieldValue } from '../../../shared/leads/lead.ts';
import { rawFromCell } from '../../../shared/leads/transfer/csv-cells.ts';
import {
  exportedProperties,
  exportMark,
  nowhere,
  targetNamed,
  unknownColumn,
} from '../../../shared/leads/transfer/import-columns.ts';
import {
  type ImportRow,
  type RowValue,
  readImportRow,
} from '../../../shared/leads/transfer/import-row.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../../cli/command.ts';
import { countOf } from '../../cli/format.ts';
import { cellReader, type FormatOptions, hintFor } from '../files/cell-formats.ts';
import { withoutResultIssue } from '../files/sheet-xml.ts';
import { type Cell, textOfCell } from '../files/workbook.ts';
import { type Column, type ColumnMapping, nameless } from './mapping.ts';

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

type SentRow = Pick<FileRow, 'number' | 'original'>;

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

/** A row of a CSV file or a sheet. */
interface SheetRecord {
  readonly number: number;
  readonly original: readonly unknown[];
  readonly cells: readonly Cell[];
  /** Cells with a formula but no result, by column. Empty if the row has only errors. */
  readonly withoutResult?: ReadonlyMap<number, string> | undefined;
}

/** Reads the headings of a CSV file or a sheet, and its rows as they are iterated. @throws CommandError for an empty file or an unknown column */
export function sheetRows(
  file: string,
  records: readonly SheetRecord[],
  options: RowOptions,
): { readonly headings: readonly string[]; readonly rows: Iterable<FileRow> } {
  // Spreadsheets write rows that were cleared.
  const isEmpty = ({ cells, withoutResult }: SheetRecord) =>
    !withoutResult && cells.every((cell) => textOfCell(cell).trim() === '');
  const [first, ...others] = records.filter((record) => !isEmpty(record));
  for (const cell of first?.withoutResult?.values() ?? [])
    throw new CommandError(`${file}: ${withoutResultIssue(cell)}`);
  if (!first) throw new CommandError(`${file} is empty: its first row must have the headings.`);
  const headings = first.cells.map((cell) => textOfCell(cell));
  const columns = options.mapping.columnsOf(headings, file);
  const markAt = columns.findIndex(({ target }) => target.property === 'mark');
  const readRow = rowReader(options, headings);
  const rowOf = ({ cells, withoutResult, ...row }: SheetRecord): FileRow => {
    for (const [at, cell] of withoutResult ?? [])
      if (columns[at]?.target !== nowhere) return unreadable(row, withoutResultIssue(cell));
    if (cells.length !== headings.length)
      return unreadable(
        row,
        `The row has ${countOf(cells.length, 'cell')} for ${countOf(headings.length, 'heading')}.`,
      );
    const isMarked = exportMark.isOne(cells[markAt]);
    const values = columns.map((column, at) => {
      const { field } = column.target;
      const cell = cells[at];
      const isNumber =
        typeof cell === 'number' && field && fieldKinds[field.type].cell === 'number';
      const text = textOfCell(cell, isMarked);
      return { ...column, raw: isNumber ? cell : rawFromCell(text, field?.type, isMarked) };
    });
    return readRow(row, values);
  };
  function* rows(): Generator<FileRow> {
    for (const record of others) yield rowOf(record);
  }
  return { headings, rows: rows() };
}

/** Programs write a text as a formula, so that a spreadsheet keeps its leading zeros: `="00123"`. */
const contentOf = (cell: string): string =>
  /^\s*="((?:[^"]|"")*)"\s*$/.exec(cell)?.[1]?.replaceAll('""', '"') ?? cell;

/** The records of a CSV file. @throws CommandError */
export function csvRecords(file: string, text: string, delimiter: string): SheetRecord[] {
  try {
    const records = parse(text, {
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      relax_quotes: true,
    }) as unknown as { record: string[]; info: { records: number; empty_lines: number } }[];
    return records.map(({ record: original, info }) => ({
      number: info.records + info.empty_lines,
      original,
      cells: original.map(contentOf),
    }));
  } catch (cause) {
    if (!(cause instanceof CsvError)) throw cause;
    throw new CommandError(`${file} is not a CSV file: ${cause.message}.`, { cause });
  }
}

/** The rows of a JSONL file, read as they are iterated. */
export function* jsonlRows(lines: readonly string[], options: RowOptions): Generator<FileRow> {
  const readRow = rowReader(options);
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const object = parseJson(line);
    const row = { number: at + 1, original: isPlainObject(object) ? object : { text: line } };
    const values = valuesOf(object, options);
    yield typeof values === 'string' ? unreadable(row, values) : readRow(row, values);
  }
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
    if (raw !== null && !isFieldValue(raw))
      return `${column} must be a string, a number, true, false, a list of strings, or null.`;
    values.push({ column, target, raw });
  }
  const [issue] = mapping.issuesOf(values, 'The line');
  return issue ?? values;
}

const noValues: ImportRow = { fields: {}, properties: {} };

const unreadable = (row: SentRow, issue: string): FileRow => ({
  ...row,
  issue,
  sent: noValues,
  read: noValues,
  columnOf: (label) => ({ label, hint: '' }),
});

/**
 * Reads the values of rows. In a row that lead export wrote, the options count only for values that cannot be read as they are: a spreadsheet
 * may have saved the file.
 * @param headings of the file; undefined for JSON lines, whose properties differ from line to line
 */
function rowReader(
  { organization, formats }: RowOptions,
  headings?: readonly string[],
): (row: SentRow, values: readonly FileValue[]) => FileRow {
  const readCell = cellReader(formats, headings);
  return (row, values) => {
    const sent = importRow(values);
    const { mark = null } = sent.properties;
    if (mark !== null && !exportMark.isOne(mark))
      return unreadable(
        row,
        `${exportedProperties.mark} must be empty, or as lead export wrote it, such as ${exportMark.of(1)}.`,
      );
    if (values.some(({ target, raw }) => target === nameless && !isBlank(raw)))
      return unreadable(
        row,
        "A column without a heading has a value: give it a heading, or add --ignore ''.",
      );
    const issues = mark === null ? undefined : issuesIn(organization, sent);
    const converted = values.map((value) =>
      issues?.has(value.target.name) === false
        ? value
        : { ...value, raw: readCell(value, value.raw) },
    );
    const columnOf: FileRow['columnOf'] = (name) => {
      // The rules call some columns by another name, such as stageId.
      const target = targetNamed(organization, name)?.name;
      const value = values.findLast((one) => one.target.name === target);
      if (!value) return { label: name, hint: '' };
      const { column, raw } = value;
      const isNamedSo = column === name || column === target;
      const label = isNamedSo ? name : `${name} (column ${JSON.stringify(column)})`;
      const text = typeof raw === 'string' ? raw.trim() : '';
      return { label, hint: text === '' ? '' : hintFor(value, text, formats) };
    };
    return { ...row, sent, read: importRow(converted), columnOf };
  };
}

/** The fields and properties of a row that the rules refuse as they are. */
function issuesIn(organization: Organization, row: ImportRow): ReadonlySet<string> {
  try {
    readImportRow(organization, row, new Date().toISOString());
    return new Set();
  } catch (error) {
    if (!(error instanceof ValidationFailed)) throw error;
    return new Set(error.refused.map(([name]) => targetNamed(organization, name)?.name ?? name));
  }
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
