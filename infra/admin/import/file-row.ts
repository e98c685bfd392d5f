import { FieldIssue, type RawValue } from '../../../shared/leads/field-types.ts';
import { exportMark, type ImportTarget } from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';
import type { CellFormats, FormatOptions } from './cell-formats.ts';
import type { ColumnMapping } from './mapping.ts';

/** A row as the file has it. */
export type OriginalRow = { readonly cells: readonly string[] } | { readonly object: object };

/** One row of a file. */
export interface FileRow {
  /** The row of a spreadsheet, whose headings are row 1, or the line of a JSONL file. */
  readonly number: number;
  /** The row's values; a sentence if they cannot be read. */
  readonly read: ImportRow | string;
  /** The values as the file has them, by which a repeated import recognizes the row, whatever its options are. */
  readonly sent?: ImportRow;
  /** For the report. */
  readonly original: OriginalRow;
}

/** What the rows of a file are read into. */
export interface FileRows {
  /** Empty for JSONL. */
  readonly headings: readonly string[];
  /** The heading of a column by its field's key or its property, if the heading is another text. */
  readonly headingOf: ReadonlyMap<string, string>;
  readonly rows: AsyncGenerator<FileRow>;
  /** Of a CSV file. */
  readonly dialect?: CsvDialect;
}

/** How a program writes CSV. */
export interface CsvDialect {
  readonly delimiter: string;
  readonly lineEnd: string;
}

/** How the rows of a file are read. */
export interface RowOptions {
  readonly mapping: ColumnMapping;
  readonly formats: FormatOptions;
}

/** One value of a row. */
export interface FileValue {
  readonly column: string;
  readonly target: ImportTarget;
  readonly raw: RawValue;
}

/**
 * The values of a row for the rules, and as they were sent.
 * @param formats not used for a row that lead export wrote
 * @returns as `read` a sentence for a row whose export mark is not one that lead export writes
 */
export function rowOf(
  values: readonly FileValue[],
  formats: CellFormats,
): Pick<FileRow, 'read' | 'sent'> {
  const mark = values.find(({ target }) => target.kind === 'mark')?.raw ?? null;
  if (mark !== null && !exportMark.isOne(mark)) {
    const read = `${exportMark.heading} must be empty, or as lead export wrote it, such as ${exportMark.of(1)}.`;
    return { read };
  }
  const isExported = mark !== null;
  const sent = importRow(values, isExported);
  if (isExported) return { read: sent, sent };
  const unreadable: Record<string, FieldIssue> = {};
  const converted = values.map((value) => {
    const { column, target, raw } = value;
    const read = formats.read(column, target, raw);
    if (!(read instanceof FieldIssue)) return { ...value, raw: read };
    if (target.kind === 'field') unreadable[target.fieldKey] = read;
    return { ...value, raw: null };
  });
  return { read: { ...importRow(converted, false), unreadable }, sent };
}

function importRow(values: readonly FileValue[], isExported: boolean): ImportRow {
  const fields = values.flatMap(({ target, raw }) =>
    target.kind === 'field' ? [[target.fieldKey, raw] as const] : [],
  );
  const properties = values.flatMap(({ target, raw }) =>
    target.kind === 'property' ? [[target.property, raw] as const] : [],
  );
  const note = values.find(({ target }) => target.kind === 'note')?.raw;
  return {
    isExported,
    fields: Object.fromEntries(fields),
    properties: Object.fromEntries(properties),
    ...(note !== undefined && note !== null && { note }),
  };
}
