import type { RawValue } from '../../../shared/leads/field-types.ts';
import { exportMark, type ImportTarget } from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';

/** A row as the file has it. */
export type OriginalRow = { readonly cells: readonly string[] } | { readonly object: object };

/** One row of a file. */
export interface FileRow {
  /** The row of a spreadsheet, whose headings are row 1, or the line of a JSONL file. */
  readonly number: number;
  /** The row's values; a sentence if they cannot be read. */
  readonly read: ImportRow | string;
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
}

/** @returns a sentence for a row whose export mark is not one that lead export writes */
export function rowOf(
  values: readonly (readonly [ImportTarget, RawValue])[],
  isEarlier: boolean,
): ImportRow | string {
  const mark = values.find(([{ kind }]) => kind === 'mark')?.[1] ?? null;
  if (mark !== null && !exportMark.isOne(mark)) {
    return `${exportMark.heading} must be empty, or as lead export wrote it, such as ${exportMark.of(1)}.`;
  }
  const fields = values.flatMap(([target, value]) =>
    target.kind === 'field' ? [[target.fieldKey, value] as const] : [],
  );
  const properties = values.flatMap(([target, value]) =>
    target.kind === 'property' ? [[target.property, value] as const] : [],
  );
  return {
    isExported: isEarlier || mark !== null,
    fields: Object.fromEntries(fields),
    properties: Object.fromEntries(properties),
  };
}
