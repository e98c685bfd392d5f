import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import { isPlainObject, parseJson } from '../../../shared/json.ts';
import type { RawValue } from '../../../shared/leads/field-types.ts';
import { rawFromCell } from '../../../shared/leads/transfer/csv-cells.ts';
import { exportMark, type ImportTarget, propertyHeadings, unknownColumn } from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { errorCode } from '../../cli/error-code.ts';
import { CommandError } from '../context.ts';
import { countOf } from '../format.ts';
import type { ColumnMapping } from './mapping.ts';
import { foreignLeadId, foreignLeadIdIssue, isEarlierExport, isEarlierLine } from './origin.ts';

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

export interface ImportFile {
  readonly format: 'csv' | 'jsonl';
  /** Empty for JSONL. */
  readonly headings: readonly string[];
  /** The heading of a column by its field's key or its property, if the heading is another text. */
  readonly headingOf: ReadonlyMap<string, string>;
  readonly rows: AsyncGenerator<FileRow>;
  /** The part of the file that has been read, 0 to 1. */
  readonly progress: () => number;
}

/** Opens a file of leads, whose rows are read as they are iterated. @throws CommandError for a file that cannot be used */
export async function openImportFile(file: string, organization: Organization, mapping: ColumnMapping): Promise<ImportFile> {
  const extension = /\.(csv|jsonl|ndjson)$/i.exec(file)?.[1]?.toLowerCase();
  if (!extension) throw new CommandError(`${file} must end in .csv or .jsonl: the ending names the format.`);
  const { size } = await existingFile(file);
  let bytesRead = 0;
  const texts = decoded(file, (bytes) => {
    bytesRead += bytes;
  });
  const progress = (): number => (size === 0 ? 1 : bytesRead / size);
  if (extension !== 'csv') {
    return { format: 'jsonl', headings: [], headingOf: new Map(), rows: jsonlRows(texts, organization, mapping), progress };
  }

  const first = await texts.next();
  const records = csvRecords(file, rejoined(first.value ?? '', texts), delimiterOf(first.value ?? ''));
  const heading = await records.next();
  if (heading.done) throw new CommandError(`${file} is empty: its first row must have the headings.`);
  const headings = heading.value.cells;
  const targets = mapping.targetsOf(organization, headings, file);
  const headingOf = otherHeadings(headings, targets);
  const isEarlier = isEarlierExport(headings);
  return { format: 'csv', headings, headingOf, rows: csvRows(records, organization, { headings, targets, isEarlier }), progress };
}

function otherHeadings(headings: readonly string[], targets: readonly ImportTarget[]): ReadonlyMap<string, string> {
  const headingOf = targets.flatMap((target, column): [string, string][] => {
    if (target.kind === 'nothing' || target.kind === 'mark') return [];
    return [[target.kind === 'field' ? target.fieldKey : propertyHeadings[target.property], headings[column]?.trim() ?? '']];
  });
  return new Map(headingOf.filter(([name, heading]) => name !== heading));
}

async function existingFile(file: string): Promise<{ size: number }> {
  try {
    const found = await stat(file);
    if (found.isFile()) return found;
    throw new CommandError(`${file} cannot be imported: it is not a file.`);
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error;
    throw new CommandError(`${file} cannot be imported: the file does not exist.`, { cause: error });
  }
}

async function* decoded(file: string, onBytes: (bytes: number) => void): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  try {
    for await (const chunk of createReadStream(file)) {
      onBytes((chunk as Buffer).length);
      yield decoder.decode(chunk as Buffer, { stream: true });
    }
    yield decoder.decode();
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw new CommandError(`${file} is not UTF-8: save it in that encoding.`, { cause: error });
  }
}

async function* rejoined(first: string, rest: AsyncIterable<string>): AsyncGenerator<string> {
  yield first;
  yield* rest;
}

/** The delimiter that splits the headings into most columns: a spreadsheet writes `;` where the decimal mark is a comma, or tabs. */
function delimiterOf(text: string): string {
  const heading = text.slice(0, text.search(/[\r\n]|$/));
  const counts = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: heading.split(delimiter).length }));
  return counts.reduce((a, b) => (b.count > a.count ? b : a)).delimiter;
}

interface CsvRecord {
  readonly number: number;
  readonly cells: readonly string[];
}

async function* csvRecords(file: string, texts: AsyncGenerator<string>, delimiter: string): AsyncGenerator<CsvRecord, undefined> {
  const parser = parse({ delimiter, info: true, relax_column_count: true, skip_empty_lines: true, relax_quotes: true });
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
  /** Whether the file is an export from before exports marked their rows. */
  readonly isEarlier: boolean;
}

async function* csvRows(
  records: AsyncIterable<CsvRecord>,
  organization: Organization,
  { headings, targets, isEarlier }: CsvColumns,
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
    const values = targets.map((target, column): [ImportTarget, RawValue] => {
      const type = target.kind === 'field' ? organization.fieldByKey.get(target.fieldKey)?.type : undefined;
      return [target, rawFromCell(cells[column] ?? '', type, isMarked)];
    });
    yield { number, original: { cells }, read: rowOf(values, isEarlier) };
  }
}

/** @returns a sentence for a row whose export mark is not one that lead export writes */
function rowOf(values: readonly (readonly [ImportTarget, RawValue])[], isEarlier: boolean): ImportRow | string {
  const mark = values.find(([{ kind }]) => kind === 'mark')?.[1] ?? null;
  if (mark !== null && !exportMark.isOne(mark)) {
    return `${exportMark.heading} must be empty, or as lead export wrote it, such as ${exportMark.of(1)}.`;
  }
  const fields = values.flatMap(([target, value]) => (target.kind === 'field' ? [[target.fieldKey, value] as const] : []));
  const properties = values.flatMap(([target, value]) => (target.kind === 'property' ? [[target.property, value] as const] : []));
  return {
    isExported: isEarlier || mark !== null,
    fields: Object.fromEntries(fields),
    properties: Object.fromEntries(properties),
  };
}

async function* jsonlRows(
  texts: AsyncIterable<string>,
  organization: Organization,
  mapping: ColumnMapping,
): AsyncGenerator<FileRow> {
  let number = 0;
  for await (const line of linesOf(texts)) {
    number += 1;
    if (line.trim() === '') continue;
    const object = parseJson(line);
    if (isPlainObject(object)) yield { number, original: { object }, read: readObject(object, organization, mapping) };
    else yield { number, original: { object: { text: line } }, read: 'The line is not a JSON object.' };
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

/** Fields are in `fields`, as an export writes them, or among the other properties. */
function readObject(
  { fields, ...others }: Readonly<Record<string, unknown>>,
  organization: Organization,
  mapping: ColumnMapping,
): ImportRow | string {
  if (fields !== undefined && !isPlainObject(fields)) return 'fields must be an object of values by field key.';
  const values: [ImportTarget, RawValue][] = [];
  const entries = [
    ...Object.entries(others).map((entry) => [...entry, fields !== undefined] as const),
    ...Object.entries(fields ?? {}).map((entry) => [...entry, false] as const),
  ];
  for (const [name, value, hasFieldsObject] of entries) {
    const target = mapping.targetOf(organization, name, hasFieldsObject);
    if (!target) return `${JSON.stringify(name)} ${unknownColumn(organization, name)}`;
    if (!isRaw(value)) return `${name} must be a string, a number, true, false, a list of strings, or null.`;
    values.push([target, value]);
  }
  const targets = values.map(([target]) => target);
  const repeated = mapping.repeatedTarget(targets);
  if (repeated) return `${repeated} appears twice.`;
  const isEarlier = isEarlierLine({ ...others, fields });
  const foreign = isEarlier
    ? undefined
    : foreignLeadId(
        entries.map(([name]) => name),
        targets,
        mapping.isMapped,
      );
  return foreign === undefined ? rowOf(values, isEarlier) : `The line ${foreignLeadIdIssue(foreign, exportMark.property)}`;
}

const isRaw = (value: unknown): value is RawValue =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));
