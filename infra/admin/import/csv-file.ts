import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { rawFromCell } from '../../../shared/leads/transfer/csv-cells.ts';
import {
  exportMark,
  type ImportTarget,
  noteHeading,
  propertyHeadings,
} from '../../../shared/leads/transfer/import-columns.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { countOf } from '../../cli/format.ts';
import { CommandError } from '../context.ts';
import { CellFormats } from './cell-formats.ts';
import {
  type CsvDialect,
  type FileRow,
  type FileRows,
  type FileValue,
  type RowOptions,
  rowOf,
} from './file-row.ts';

/** Reads the headings of a CSV file, whose rows are read as they are iterated. @throws CommandError for an empty file or an unknown column */
export async function openCsv(
  file: string,
  texts: AsyncGenerator<string, undefined>,
  organization: Organization,
  { mapping, formats }: RowOptions,
): Promise<FileRows> {
  const first = await texts.next();
  const dialect = dialectOf(first.value ?? '');
  const records = csvRecords(file, rejoined(first.value ?? '', texts), dialect.delimiter);
  const heading = await records.next();
  if (heading.done)
    throw new CommandError(`${file} is empty: its first row must have the headings.`);
  const headings = heading.value.cells;
  const targets = mapping.targetsOf(organization, headings, file);
  const headingOf = otherHeadings(headings, targets);
  return {
    headings,
    headingOf,
    dialect,
    rows: csvRows(records, organization, {
      headings,
      targets,
      formats: new CellFormats(organization, formats, headings),
    }),
  };
}

function otherHeadings(
  headings: readonly string[],
  targets: readonly ImportTarget[],
): ReadonlyMap<string, string> {
  const headingOf = targets.flatMap((target, column): [string, string][] => {
    const name = targetName(target);
    return name === undefined ? [] : [[name, headings[column]?.trim() ?? '']];
  });
  return new Map(headingOf.filter(([name, heading]) => name !== heading));
}

async function* rejoined(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** The name that issues give a column. */
function targetName(target: ImportTarget): string | undefined {
  if (target.kind === 'field') return target.fieldKey;
  if (target.kind === 'property') return propertyHeadings[target.property];
  return target.kind === 'note' ? noteHeading : undefined;
}

/**
 * The delimiter is the one that splits the headings into most columns: a spreadsheet writes `;` where the decimal mark is a comma, or tabs.
 * The line end is that of the headings.
 */
function dialectOf(text: string): CsvDialect {
  const heading = text.slice(0, text.search(/[\r\n]|$/));
  const counts = [',', ';', '\t'].map((delimiter) => ({
    delimiter,
    count: heading.split(delimiter).length,
  }));
  const { delimiter } = counts.reduce((a, b) => (b.count > a.count ? b : a));
  return { delimiter, lineEnd: /\r\n|\r|\n/.exec(text)?.[0] ?? '\n' };
}

interface CsvRecord {
  readonly number: number;
  readonly cells: readonly string[];
}

async function* csvRecords(
  file: string,
  texts: AsyncGenerator<string>,
  delimiter: string,
): AsyncGenerator<CsvRecord, undefined> {
  const parser = parse({
    delimiter,
    info: true,
    relax_column_count: true,
    skip_empty_lines: true,
    relax_quotes: true,
  });
  const reading = pipeline(Readable.from(texts), parser);
  reading.catch(() => undefined); // The loop below throws the same error.
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { records: number; empty_lines: number };
    }>) {
      yield { number: info.records + info.empty_lines, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(`${file} is not a CSV file: ${error.message}.`, { cause: error });
  }
}

interface CsvColumns {
  readonly headings: readonly string[];
  readonly targets: readonly ImportTarget[];
  readonly formats: CellFormats;
}

async function* csvRows(
  records: AsyncIterable<CsvRecord>,
  organization: Organization,
  { headings, targets, formats }: CsvColumns,
): AsyncGenerator<FileRow> {
  const markAt = targets.findIndex(({ kind }) => kind === 'mark');
  for await (const { number, cells } of records) {
    if (cells.every((cell) => cell.trim() === '')) continue; // An empty row of a spreadsheet.
    if (cells.length !== headings.length) {
      yield {
        number,
        original: { cells },
        read: `The row has ${countOf(cells.length, 'cell')} for ${countOf(headings.length, 'heading')}.`,
      };
      continue;
    }
    const isMarked = exportMark.isOne(cells[markAt]);
    const values = targets.map((target, column): FileValue => {
      const type =
        target.kind === 'field' ? organization.fieldByKey.get(target.fieldKey)?.type : undefined;
      const raw = rawFromCell(cells[column] ?? '', type, isMarked);
      return { column: headings[column] ?? '', target, raw };
    });
    yield { number, original: { cells }, ...rowOf(values, formats) };
  }
}
