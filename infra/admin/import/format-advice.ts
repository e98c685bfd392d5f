import type { RawValue } from '../../../shared/leads/field-types.ts';
import type { ImportProperty } from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Field, Organization } from '../../../shared/organization/organization.ts';
import { countOf, printable } from '../../cli/format.ts';
import {
  type DateFormat,
  type DecimalMark,
  hasTwoReadings,
  possibleDateFormats,
  possibleDecimalMarks,
  writtenDate,
  writtenNumber,
} from './cell-formats.ts';
import type { RefusedRow } from './drafts.ts';
import type { ImportFile } from './file.ts';

/** The properties of a row by the names that issues give them. */
const propertyByName: Readonly<Record<string, ImportProperty>> = {
  'created at': 'createdAt',
  'updated at': 'updatedAt',
  archived: 'archived',
  stage: 'stage',
  pipeline: 'pipeline',
};
const timeNames = ['created at', 'updated at', 'archived'];

/** What the refused values of one column have in common. */
interface ColumnIssues {
  rows: number;
  readonly example: { readonly row: number; readonly text: string };
  dateFormats: readonly DateFormat[];
  decimalMarks: readonly DecimalMark[];
  /** Distinct values, up to one more than an advice names. */
  readonly values: Set<string>;
}

const valuesMax = 5;

/** Finds the option with which every refused value of a column could be read. */
export class FormatAdvice {
  readonly #organization: Organization;
  readonly #headingOf: ImportFile['headingOf'];
  readonly #columns = new Map<string, ColumnIssues>();

  constructor(organization: Organization, { headingOf }: Pick<ImportFile, 'headingOf'>) {
    this.#organization = organization;
    this.#headingOf = headingOf;
  }

  add({ row, issues }: RefusedRow): void {
    const values = row.sent ?? (typeof row.read === 'object' ? row.read : undefined);
    if (!values || values.isExported) return;
    for (const { name } of issues) {
      const raw = name === undefined ? undefined : valueNamed(values, name);
      if (name === undefined || typeof raw !== 'string' || raw.trim() === '') continue;
      this.#addValue(name, row.number, raw.trim());
    }
  }

  #addValue(name: string, row: number, text: string): void {
    const column = this.#columns.get(name) ?? {
      rows: 0,
      example: { row, text },
      dateFormats: this.#dateFormatsOf(name, text),
      decimalMarks: decimalMarksOf(text),
      values: new Set<string>(),
    };
    this.#columns.set(name, column);
    column.rows += 1;
    const formats = column.dateFormats.length === 0 ? [] : this.#dateFormatsOf(name, text);
    column.dateFormats = column.dateFormats.filter((format) => formats.includes(format));
    const marks = decimalMarksOf(text);
    column.decimalMarks = column.decimalMarks.filter((mark) => marks.includes(mark));
    if (column.values.size <= valuesMax) column.values.add(text);
  }

  /** The formats in which a text could be read; a field's date has no time. */
  #dateFormatsOf(name: string, text: string): readonly DateFormat[] {
    const formats = possibleDateFormats(text);
    if (this.#organization.fieldByKey.get(name)?.type !== 'date') return formats;
    return formats.filter((format) => writtenDate(text, format)?.time === '00:00:00');
  }

  /** A sentence for each column that an option would help, with an example row and the option. */
  lines(): string[] {
    return [...this.#columns].flatMap(([name, column]) => {
      const option = this.#optionFor(name, column);
      if (option === undefined) return [];
      const { row, text } = column.example;
      const heading = this.#headingOf.get(name) ?? name;
      const example = printable(text.length > 40 ? `${text.slice(0, 39)}…` : text);
      return [
        `Column ${JSON.stringify(heading)}: ${countOf(column.rows, 'row')} refused, such as row ${row} with ${JSON.stringify(example)}. Add ${option}.`,
      ];
    });
  }

  #optionFor(name: string, column: ColumnIssues): string | undefined {
    const field = this.#organization.fieldByKey.get(name);
    if (field?.type === 'date' || timeNames.includes(name)) {
      const [format, other] = column.dateFormats;
      if (format === undefined) return undefined;
      return `--dates ${format}${other === undefined ? '' : `, or --dates ${other} if the month comes first`}`;
    }
    if (field?.type === 'number') return decimalOptionFor(column.decimalMarks);
    return this.#valueOptionFor(name, field, column);
  }

  /** `--value` for each refused value, if they are few. */
  #valueOptionFor(
    name: string,
    field: Field | undefined,
    column: ColumnIssues,
  ): string | undefined {
    const known = field ? knownValues(this.#organization, field) : this.#knownPlaces(name);
    if (known === undefined || column.values.size > valuesMax) return undefined;
    const heading = this.#headingOf.get(name) ?? name;
    const options = [...column.values].map(
      (value) => `--value ${quoted(`${heading}:${printable(value)}=VALUE`)}`,
    );
    return `${options.join(' ')}, with one of these for VALUE: ${known.join(', ')}`;
  }

  #knownPlaces(name: string): readonly string[] | undefined {
    const { stages, pipelines } = this.#organization;
    if (name !== 'stage' && name !== 'pipeline') return undefined;
    return (name === 'stage' ? stages : pipelines).map((item) => item.name).slice(0, namesMax);
  }
}

/** The marks with which a refused text could be read; none for a number that has the same value without the option. */
const decimalMarksOf = (text: string): readonly DecimalMark[] =>
  writtenNumber(text, 'point') === text && !hasTwoReadings(text) ? [] : possibleDecimalMarks(text);

function decimalOptionFor([mark, other]: readonly DecimalMark[]): string | undefined {
  if (mark === undefined) return undefined;
  return `--decimal ${mark}${other === undefined ? '' : `, or --decimal ${other} if the ${other} marks decimals`}`;
}

const namesMax = 10;

/** The values that a column of these types can have; undefined for other types. */
function knownValues(organization: Organization, field: Field): readonly string[] | undefined {
  const active = (items: readonly { name: string; active: boolean }[]): string[] =>
    items.filter((item) => item.active).map((item) => item.name);
  const known: Partial<Record<Field['type'], readonly string[]>> = {
    checkbox: ['yes', 'no'],
    select: field.options.map(({ value }) => value),
    multiselect: field.options.map(({ value }) => value),
    lead_source: active(organization.sources),
    user: active(organization.users),
  };
  return known[field.type]?.slice(0, namesMax);
}

function valueNamed({ fields, properties }: ImportRow, name: string): RawValue | undefined {
  if (Object.hasOwn(fields, name)) return fields[name];
  const property = Object.hasOwn(propertyByName, name) ? propertyByName[name] : undefined;
  return property && properties[property];
}

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
