import { isPlainObject, parseJson } from '../../../shared/json.ts';
import type { RawValue } from '../../../shared/leads/field-types.ts';
import { exportMark, unknownColumn } from '../../../shared/leads/transfer/import-columns.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CellFormats } from './cell-formats.ts';
import { type FileRow, type FileValue, type RowOptions, rowOf } from './file-row.ts';
import { type ColumnMapping, foreignLeadIdIssue } from './mapping.ts';

/** The rows of a JSONL file, read as they are iterated. */
export async function* jsonlRows(
  texts: AsyncIterable<string>,
  organization: Organization,
  { mapping, formats }: RowOptions,
): AsyncGenerator<FileRow> {
  const reader = {
    organization,
    mapping,
    formats: new CellFormats(organization, formats, undefined),
  };
  let number = 0;
  for await (const line of linesOf(texts)) {
    number += 1;
    if (line.trim() === '') continue;
    const object = parseJson(line);
    if (isPlainObject(object))
      yield { number, original: { object }, ...readObject(object, reader) };
    else
      yield {
        number,
        original: { object: { text: line } },
        read: 'The line is not a JSON object.',
      };
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

interface ObjectReader {
  readonly organization: Organization;
  readonly mapping: ColumnMapping;
  readonly formats: CellFormats;
}

/** Fields are in `fields`, as an export writes them, or among the other properties. */
function readObject(
  { fields, ...others }: Readonly<Record<string, unknown>>,
  { organization, mapping, formats }: ObjectReader,
): Pick<FileRow, 'read' | 'sent'> {
  if (fields !== undefined && !isPlainObject(fields))
    return { read: 'fields must be an object of values by field key.' };
  const values: FileValue[] = [];
  const entries = [
    ...Object.entries(others).map((entry) => [...entry, fields !== undefined] as const),
    ...Object.entries(fields ?? {}).map((entry) => [...entry, false] as const),
  ];
  for (const [name, value, hasFieldsObject] of entries) {
    const target = mapping.targetOf(organization, name, hasFieldsObject);
    if (!target) return { read: `${JSON.stringify(name)} ${unknownColumn(organization, name)}` };
    if (!isRaw(value))
      return {
        read: `${name} must be a string, a number, true, false, a list of strings, or null.`,
      };
    values.push({ column: name, target, raw: value });
  }
  const targets = values.map(({ target }) => target);
  const repeated = mapping.repeatedTarget(targets);
  if (repeated) return { read: `${repeated} appears twice.` };
  const foreign = mapping.foreignLeadId(
    entries.map(([name]) => name),
    targets,
  );
  return foreign === undefined
    ? rowOf(values, formats)
    : { read: `The line ${foreignLeadIdIssue(foreign, exportMark.property)}` };
}

const isRaw = (value: unknown): value is RawValue =>
  value === null ||
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));
