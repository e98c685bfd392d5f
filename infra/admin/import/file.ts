import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { CsvError, parse } from 'csv-parse';
import type { RawValue } from '../../../shared/leads/field-types.ts';
import { rawFromCell } from '../../../shared/leads/transfer/csv-cells.ts';
import { exportMark, type ImportTarget, propertyHeadings, unknownColumn } from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError, countOf } from '../context.ts';
import type { ColumnMapping } from './mapping.ts';
import { foreignLeadId, foreignLeadIdProblem, isEarlierExport, isEarlierLine } from './origin.ts';

/** One row of a file as it was read. */
export interface FileRow {
  /** As a person counts: the row of a spreadsheet, whose headings are row 1, or the line of a JSONL file. */
  readonly number: number;
  /** What the row says; a sentence where it cannot be read. */
  readonly read: ImportRow | string;
  /** As it stands in the file, for the report: cells, or the line's object or text. */
  readonly original: readonly string[] | unknown;
}

export interface ImportFile {
  readonly format: 'csv' | 'jsonl';
  /** Of a CSV file. */
  readonly headings: readonly string[];
  /** A field's key or a property's heading, as messages name it, to the heading of its column where that is another. */
  readonly headingOf: ReadonlyMap<string, string>;
  readonly rows: AsyncGenerator<FileRow>;
  /** How much of the file has been read, 0 to 1. */
  readonly progress: () => number;
}

/** Opens a file of leads; its rows are read as they are asked for. @throws CommandRefused for a file that cannot be used. */
export async function openImportFile(file: string, organization: Organization, mapping: ColumnMapping): Promise<ImportFile> {
  const extension = /\.(csv|jsonl|ndjson)$/i.exec(file)?.[1]?.toLowerCase();
  if (!extension) throw new CommandError(`${file} must end in .csv or .jsonl, which says how it is to be read.`);
  const { size } = await existing(file);
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
  if (heading.done) throw new CommandError(`${file} is empty: its first row must hold the columns' headings.`);
  const headings = heading.value.cells;
  const targets = mapping.targetsOf(organization, headings, file);
  const headingOf = otherHeadings(headings, targets);
  const isEarlier = isEarlierExport(headings);
  return { format: 'csv', headings, headingOf, rows: csvRows(records, organization, { headings, targets, isEarlier }), progress };
}

function otherHeadings(headings: readonly string[], targets: readonly ImportTarget[]): ReadonlyMap<string, string> {
  const named = targets.flatMap((target, column): [string, string][] => {
    if (target.kind === 'nothing' || target.kind === 'mark') return [];
    return [[target.kind === 'field' ? target.fieldKey : propertyHeadings[target.property], headings[column]?.trim() ?? '']];
  });
  return new Map(named.filter(([name, heading]) => name !== heading));
}

async function existing(file: string): Promise<{ size: number }> {
  try {
    const found = await stat(file);
    if (found.isFile()) return found;
    throw new CommandError(`${file} cannot be imported: it is no file.`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    throw new CommandError(`${file} cannot be imported: there is no such file.`, { cause: error });
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

/** Spreadsheets write `;` where the comma is the decimal mark; a copied table has tabs. The heading tells. */
function delimiterOf(text: string): string {
  const heading = text.slice(0, text.search(/[\r\n]|$/));
  const counted = [',', ';', '\t'].map((delimiter) => ({ delimiter, count: heading.split(delimiter).length }));
  return counted.reduce((a, b) => (b.count > a.count ? b : a)).delimiter;
}

interface CsvRecord {
  readonly number: number;
  readonly cells: readonly string[];
}

async function* csvRecords(file: string, texts: AsyncGenerator<string>, delimiter: string): AsyncGenerator<CsvRecord, undefined> {
  const parser = parse({ delimiter, info: true, relax_column_count: true, skip_empty_lines: true, relax_quotes: true });
  const reading = pipeline(Readable.from(texts), parser);
  reading.catch(() => undefined); // the loop below meets the same failure
  try {
    for await (const { record, info } of parser as AsyncIterable<{
      record: string[];
      info: { records: number; empty_lines: number };
    }>) {
      yield { number: info.records + info.empty_lines, cells: record };
    }
  } catch (error) {
    if (!(error instanceof CsvError)) throw error;
    throw new CommandError(`${file} is no CSV file: ${error.message}.`, { cause: error });
  }
}

interface CsvColumns {
  readonly headings: readonly string[];
  readonly targets: readonly ImportTarget[];
  /** Of an export that did not mark its rows yet. */
  readonly isEarlier: boolean;
}

async function* csvRows(
  records: AsyncIterable<CsvRecord>,
  organization: Organization,
  { headings, targets, isEarlier }: CsvColumns,
): AsyncGenerator<FileRow> {
  const markAt = targets.findIndex(({ kind }) => kind === 'mark');
  for await (const { number, cells } of records) {
    if (cells.every((cell) => cell.trim() === '')) continue; // a spreadsheet's empty row
    if (cells.length !== headings.length) {
      yield {
        number,
        original: cells,
        read: `The row has ${countOf(cells.length, 'cell')} where the headings are ${headings.length}.`,
      };
      continue;
    }
    const isMarked = exportMark.isOne(cells[markAt]);
    const values = targets.map((target, column): [ImportTarget, RawValue] => {
      const type = target.kind === 'field' ? organization.fieldByKey.get(target.fieldKey)?.type : undefined;
      return [target, rawFromCell(cells[column] ?? '', type, isMarked)];
    });
    yield { number, original: cells, read: rowOf(values, isEarlier) };
  }
}

/** A sentence for a row that says it is an export's, in words that no export writes. */
function rowOf(values: readonly (readonly [ImportTarget, RawValue])[], isEarlier: boolean): ImportRow | string {
  const mark = values.find(([{ kind }]) => kind === 'mark')?.[1] ?? null;
  if (mark !== null && !exportMark.isOne(mark)) {
    return `${exportMark.heading} takes what lead export wrote there, such as ${exportMark.of(1)}, or nothing.`;
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
    const object = parsed(line);
    if (!object) yield { number, original: line, read: 'The line is no JSON object.' };
    else yield { number, original: object, read: readObject(object, organization, mapping) };
  }
}

/** By line feeds alone: JSON may hold other line separators as they are. */
async function* linesOf(texts: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = '';
  for await (const text of texts) {
    const lines = (rest + text).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
  if (rest !== '') yield rest;
}

function parsed(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** Fields stand in `fields`, as an export writes them, or beside the other properties. */
function readObject(
  { fields, ...others }: Readonly<Record<string, unknown>>,
  organization: Organization,
  mapping: ColumnMapping,
): ImportRow | string {
  if (fields !== undefined && (typeof fields !== 'object' || fields === null || Array.isArray(fields)))
    return 'fields takes an object of values by field key.';
  const values: [ImportTarget, RawValue][] = [];
  const said = [
    ...Object.entries(others).map((entry) => [...entry, fields !== undefined] as const),
    ...Object.entries(fields ?? {}).map((entry) => [...entry, false] as const),
  ];
  for (const [name, value, besideFields] of said) {
    const target = mapping.targetOf(organization, name, besideFields);
    if (!target) return `${JSON.stringify(name)} ${unknownColumn(organization, name)}`;
    if (!isRaw(value)) return `${name} takes a text, a number, true, false, a list of texts, or null.`;
    values.push([target, value]);
  }
  const targets = values.map(([target]) => target);
  const twice = mapping.twiceMeant(targets);
  if (twice) return `${twice} is given twice.`;
  const isEarlier = isEarlierLine({ ...others, fields });
  const foreign = isEarlier
    ? undefined
    : foreignLeadId(
        said.map(([name]) => name),
        targets,
        mapping.isMapped,
      );
  return foreign === undefined ? rowOf(values, isEarlier) : `The line ${foreignLeadIdProblem(foreign, exportMark.property)}`;
}

const isRaw = (value: unknown): value is RawValue =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));
