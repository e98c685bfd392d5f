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
import { alwaysRequired } from '../../../shared/organization/built-in-fields.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { hintFor, itemsOf, readCell, replacementHint, writingOf } from '../files/cell-formats.ts';
import type { TableRow } from '../files/read-file.ts';
import { textOfCell } from '../files/workbook.ts';
import { lacksZone } from '../files/written-times.ts';
import { type Column, type ColumnReading, nameless, quoted } from './columns.ts';

/** What a refusal says about the column of a value. */
export interface RefusedColumn {
  /** The column's name in the sentence. */
  readonly label: string;
  /** The end of the sentence: how the value could be read. */
  readonly hint: string;
  /** A further end, if the value is a word that could be replaced. It names the value. */
  readonly replacement?: string;
  /** The column and the value as in the file, if it is a single value. */
  readonly column?: string;
  readonly value?: string;
}

/** A row that was read from a file. */
export interface ReadRow {
  /** The row of a spreadsheet, whose headings are row 1, or the line of a JSONL file. */
  readonly number: number;
  /** The cells or the object, for the report. */
  readonly original: object;
  /** A sentence that says why the row cannot be read. The row then has no values. */
  readonly issue?: string;
  /** The values as in the file. A repeated import recognizes the row by them, whatever its plan. */
  readonly sent: ImportRow;
  /** The values as the plan reads them. */
  readonly read: ImportRow;
  /** The first time without a zone. */
  readonly localTime?: string | undefined;
  /** The column of a field or property that is refused. */
  readonly columnOf: (name: string, near?: string) => RefusedColumn;
}

/** Determines how the rows of a file are read. */
export interface RowOptions {
  readonly reading: ColumnReading;
  readonly hasPlan: boolean;
}

/** One value of a row. */
interface RowCell extends Column {
  readonly raw: RawValue;
  /** A workbook's time, which has no zone. */
  readonly isLocal?: boolean;
}

/** Reads the rows of a table as they are iterated. */
export function* tableRows(
  rows: readonly TableRow[],
  columns: readonly Column[],
  options: RowOptions,
): Generator<ReadRow> {
  const markAt = columns.findIndex(({ target }) => target.property === 'mark');
  for (const { cells, withoutResult, ...row } of rows) {
    const unread = [...withoutResult].find(([at]) => columns[at]?.target !== nowhere);
    const beyond = cells.findIndex(
      (cell, at) => at >= columns.length && textOfCell(cell).trim() !== '',
    );
    if (unread) yield unreadable(row, withoutResultIssue(unread[1]));
    else if (beyond >= 0)
      yield unreadable(
        row,
        `The row has a value in its cell ${beyond + 1}, but the file has ${columns.length} headings.`,
      );
    else {
      const isOurs = exportMark.isOne(cells[markAt]);
      const values = columns.map((column, at): RowCell => {
        const { field } = column.target;
        const cell = cells[at];
        const isNumber = typeof cell === 'number' && field?.type === 'number';
        const raw = isNumber ? cell : rawFromCell(textOfCell(cell), field?.type, isOurs);
        return { ...column, raw, isLocal: cell instanceof Date };
      });
      yield readRow(options, row, values);
    }
  }
}

/** LibreOffice keeps a 0 that means no result, unless it is told to recalculate. */
export const withoutResultIssue = (cell: string): string =>
  `cell ${cell} has a formula without a result: open the file in a spreadsheet program and save it. In LibreOffice, press Ctrl+Shift+F9 first.`;

/** Reads the lines of a JSONL file as they are iterated. */
export function* jsonlRows(lines: readonly string[], options: RowOptions): Generator<ReadRow> {
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue;
    const object = parseJson(line);
    const row = { number: at + 1, original: isPlainObject(object) ? object : { text: line } };
    const values = valuesOf(object, options);
    yield typeof values === 'string' ? unreadable(row, values) : readRow(options, row, values);
  }
}

/**
 * The values of a line. Fields are inside `fields`, as an export writes them, or beside the other properties.
 * @returns a sentence if they cannot be read
 */
function valuesOf(object: unknown, { reading }: RowOptions): readonly RowCell[] | string {
  const { organization } = reading.rules;
  if (!isPlainObject(object)) return 'The line is not a JSON object.';
  const { fields, ...others } = object;
  if (fields !== undefined && !isPlainObject(fields))
    return 'fields must be an object of values by field key.';
  const values: RowCell[] = [];
  const own = Object.entries(others);
  for (const [at, [name, raw]] of [...own, ...Object.entries(fields ?? {})].entries()) {
    const hasFieldsObject = fields !== undefined && at < own.length;
    const { target, ...column } = reading.columnNamed(name.trim(), hasFieldsObject);
    if (!target) return `${JSON.stringify(name)} ${unknownColumn(organization, name)}`;
    if (raw !== null && !isFieldValue(raw))
      return `${name} must be a string, a number, true, false, a list of strings, or null.`;
    values.push({ ...column, target, raw });
  }
  const [issue] = reading.issuesOf(values, 'The line');
  return issue ?? values;
}

const noValues: ImportRow = { fields: {}, properties: {} };

const unreadable = (row: Pick<ReadRow, 'number' | 'original'>, issue: string): ReadRow => ({
  ...row,
  issue,
  sent: noValues,
  read: noValues,
  columnOf: (label) => ({ label, hint: '' }),
});

/**
 * Reads the values of a row. If lead export wrote the row, the plan applies only to values that cannot be read directly, because a
 * spreadsheet may have saved the file.
 */
function readRow(
  { reading, hasPlan }: RowOptions,
  row: Pick<ReadRow, 'number' | 'original'>,
  cells: readonly RowCell[],
): ReadRow {
  const { organization } = reading.rules;
  const sent = importRow(cells, false);
  const { mark = null } = sent.properties;
  if (mark !== null && !exportMark.isOne(mark))
    return unreadable(
      row,
      `${exportedProperties.mark} must be empty, or as lead export wrote it, such as ${exportMark.of(1)}.`,
    );
  if (cells.some(({ target, raw }) => target === nameless && !isBlank(raw)))
    return unreadable(
      row,
      "A column without a heading has a value: give it a heading, or add --ignore ''.",
    );
  const issues = mark === null ? undefined : issuesIn(organization, sent);
  let localTime: string | undefined;
  const read = cells.map((cell) => {
    const { target, raw, formats, isLocal } = cell;
    if (issues?.has(target.name) === false) return cell;
    const isTime = writingOf(target) === 'time';
    const text = isTime && isLocal ? String(raw).replace(/Z$/, '') : raw;
    if (isTime && typeof text === 'string' && lacksZone(text, formats.dates)) localTime ??= text;
    return { ...cell, raw: readCell(target, text, formats) };
  });
  const columnOf = (name: string, near?: string): RefusedColumn =>
    refusedColumn({ organization, cells, hasPlan }, name, near);
  return { ...row, sent, read: importRow(read, true), localTime, columnOf };
}

/** @param near the valid name that was probably meant */
function refusedColumn(
  row: {
    readonly organization: Organization;
    readonly cells: readonly RowCell[];
    readonly hasPlan: boolean;
  },
  name: string,
  near: string | undefined,
): RefusedColumn {
  const { organization, cells, hasPlan } = row;
  // The rules use another name for some columns, such as stageId.
  const target = targetNamed(organization, name)?.name;
  const own = cells.filter((one) => one.target.name === target);
  const [cell, second] = own;
  if (!cell) return { label: name, hint: '' };
  const isNamedSo = !second && (cell.name === name || cell.name === target);
  const columns = second ? 'columns' : 'column';
  const label = isNamedSo ? name : `${name} (${columns} ${quoted(own.map((one) => one.name))})`;
  const value = typeof cell.raw === 'string' ? cell.raw.trim() : '';
  if (second || value === '') return { label, hint: '' };
  // A lead cannot lack this value, so nothing can replace the words.
  if (alwaysRequired.includes(cell.target.name) && !/\p{N}/u.test(value))
    return { label, hint: ` Write a ${cell.target.name} into the row, or leave the row out.` };
  const hint = hintFor(cell.target, value, cell.formats, hasPlan);
  const replacement = hint === '' ? replacementHint(cell, value, near, hasPlan) : '';
  return { label, hint, replacement, column: cell.name, value };
}

/** The fields and properties of a row that the rules refuse without the plan. */
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

/** The value of a field to which several columns contribute. */
function joined(before: RowValue | undefined, raw: RowValue, asList: boolean): RowValue {
  if (isBlank(before)) return raw;
  if (isBlank(raw)) return before;
  return asList
    ? [before, raw].flatMap((one) => (Array.isArray(one) ? one : itemsOf(String(one), ',')))
    : `${String(before).trim()} ${String(raw).trim()}`;
}

type ReadCell = Column & { readonly raw: RowValue };

/** @param isRead whether the plan has read the values, which is necessary to recognize lists */
function importRow(cells: readonly ReadCell[], isRead: boolean): ImportRow {
  const fields: Record<string, RowValue> = {};
  const properties: Record<string, RawValue> = {};
  for (const { target, raw } of cells) {
    const { field, property } = target;
    if (field)
      fields[field.key] = Object.hasOwn(fields, field.key)
        ? joined(fields[field.key], raw, isRead && fieldKinds[field.type].isList)
        : raw;
    else if (property && !(raw instanceof FieldIssue)) properties[property] = raw;
  }
  const notes = cells.filter(({ target }) => target.property === 'note');
  if (notes.length > 1) {
    const lines = notes
      .filter(({ raw }) => !isBlank(raw))
      .map(({ name, raw }) => `${name}: ${String(raw).trim()}`);
    properties.note = lines.length > 0 ? lines.join('\n') : null;
  }
  return { fields, properties };
}
