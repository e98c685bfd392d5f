import type { RawValue } from '../../../shared/leads/field-types.ts';
import { lacksCountryCode } from '../../../shared/leads/identity.ts';
import type { ImportProperty } from '../../../shared/leads/transfer/import-columns.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { countOf, printable } from '../../cli/format.ts';
import {
  hasTwoReadings,
  possibleDateFormats,
  possibleDecimalMarks,
  writtenDate,
  writtenNumber,
} from './cell-formats.ts';
import type { LeadDraft, RefusedRow } from './drafts.ts';
import type { ImportFile } from './file.ts';

/** The properties of a row by the names that issues give them. */
const propertyByName: ReadonlyMap<string, ImportProperty> = new Map([
  ['created at', 'createdAt'],
  ['updated at', 'updatedAt'],
  ['archived', 'archived'],
  ['stage', 'stage'],
  ['pipeline', 'pipeline'],
]);
const timeNames = ['created at', 'updated at', 'archived'];

/** What the refused values of one column have in common. */
interface ColumnIssues {
  rows: number;
  readonly example: { readonly row: number; readonly text: string };
  /** The arguments of `--dates` or `--decimal` with which each of them could be read. */
  formats: readonly string[];
  /** Distinct values, up to one more than an advice names. */
  readonly values: Set<string>;
}

const reasonLinesMax = 5;
const reasonMaxChars = 200;
/** Beyond this, new reasons are not counted: in a file where every row is refused for another reason, no count says much. */
const reasonsMax = 10_000;
const valuesMax = 5;
const namesMax = 10;

/** What an import says at its end: the most frequent reasons of refusals, the options that would help, and what it assumed. */
export class ImportAdvice {
  readonly #organization: Organization;
  readonly #headingOf: ImportFile['headingOf'];
  readonly #reasons = new Map<string, number>();
  readonly #columns = new Map<string, ColumnIssues>();
  #nationalPhones = 0;
  #nationalPhone: string | undefined;

  constructor(organization: Organization, { headingOf }: Pick<ImportFile, 'headingOf'>) {
    this.#organization = organization;
    this.#headingOf = headingOf;
  }

  lines(): string[] {
    return [...this.#reasonLines(), ...this.#optionLines(), ...this.#phoneLines()];
  }

  /** Counts the phones that were read as Indian numbers because they have no country code: an import from another country must not do so unseen. */
  addDrafts(drafts: readonly LeadDraft[]): void {
    const phones = this.#organization.fields.filter(({ type }) => type === 'phone');
    for (const { input, lead } of drafts) {
      for (const { key } of input.isExported ? [] : phones) {
        const [text, phone] = [input.fields[key], lead.fields[key]];
        if (typeof text !== 'string' || typeof phone !== 'string') continue;
        if (!lacksCountryCode(text, phone)) continue;
        this.#nationalPhones += 1;
        this.#nationalPhone ??= `${printable(text.trim())} as ${phone}`;
      }
    }
  }

  /** A row that has several issues counts for each of them. */
  addRefused({ row, issues }: RefusedRow): void {
    const values = row.sent ?? (typeof row.read === 'object' ? row.read : undefined);
    for (const { name, sentence } of issues) {
      // Which lead or row a reason names does not matter.
      const reason = sentence.replace(/\b(lead|row) \d+/g, 'another $1');
      const count = this.#reasons.get(reason);
      if (count !== undefined || this.#reasons.size < reasonsMax)
        this.#reasons.set(reason, (count ?? 0) + 1);
      const raw = name !== undefined && !values?.isExported ? valueNamed(values, name) : undefined;
      if (name !== undefined && typeof raw === 'string' && raw.trim() !== '')
        this.#addValue(name, row.number, raw.trim());
    }
  }

  #addValue(name: string, row: number, text: string): void {
    const formats = this.#formatsOf(name, text);
    const column = this.#columns.get(name) ?? {
      rows: 0,
      example: { row, text },
      formats,
      values: new Set<string>(),
    };
    this.#columns.set(name, column);
    column.rows += 1;
    column.formats = column.formats.filter((format) => formats.includes(format));
    if (column.values.size <= valuesMax) column.values.add(text);
  }

  #kindOf(name: string): 'date' | 'time' | 'number' | 'other' {
    const type = this.#organization.fieldByKey.get(name)?.type;
    if (type === 'date' || type === 'number') return type;
    return type === undefined && timeNames.includes(name) ? 'time' : 'other';
  }

  /** The formats in which a text could be read, if its column has dates, times or numbers. */
  #formatsOf(name: string, text: string): readonly string[] {
    switch (this.#kindOf(name)) {
      case 'time':
        return possibleDateFormats(text);
      case 'date':
        return possibleDateFormats(text).filter(
          (format) => writtenDate(text, format)?.time === '00:00:00',
        );
      case 'number': {
        const isSameWithout = writtenNumber(text, 'point') === text && !hasTwoReadings(text);
        return isSameWithout ? [] : possibleDecimalMarks(text);
      }
      case 'other':
        return [];
    }
  }

  /** The most frequent reasons, each on a line with its count. */
  #reasonLines(): string[] {
    const frequent = [...this.#reasons].sort(([, a], [, b]) => b - a).slice(0, reasonLinesMax);
    const width = Math.max(0, ...frequent.map(([, count]) => count.toLocaleString('en').length));
    return frequent.map(([reason, count]) => {
      const line = shortened(printable(reason), reasonMaxChars);
      return `  ${count.toLocaleString('en').padStart(width)} × ${line}`;
    });
  }

  /** A sentence for each column of which an option could read every refused value, with an example row and the option. */
  #optionLines(): string[] {
    return [...this.#columns].flatMap(([name, column]) => {
      const heading = this.#headingOf.get(name) ?? name;
      const option = this.#optionFor(name, heading, column);
      if (option === undefined) return [];
      const { row, text } = column.example;
      const example = printable(shortened(text, 40));
      return [
        `Column ${JSON.stringify(heading)}: ${countOf(column.rows, 'row')} refused, such as row ${row} with ${JSON.stringify(example)}. Add ${option}.`,
      ];
    });
  }

  #optionFor(name: string, heading: string, { formats, values }: ColumnIssues): string | undefined {
    const kind = this.#kindOf(name);
    if (kind === 'other') {
      const known = this.#knownValues(name);
      if (known === undefined || values.size > valuesMax) return undefined;
      const options = [...values].map(
        (value) => `--value ${quoted(`${heading}:${printable(value)}=VALUE`)}`,
      );
      return `${options.join(' ')}, with one of these for VALUE: ${known.slice(0, namesMax).join(', ')}`;
    }
    const [first, second] = formats;
    if (first === undefined) return undefined;
    const option = kind === 'number' ? '--decimal' : '--dates';
    const when = kind === 'number' ? `the ${second} marks decimals` : 'the month comes first';
    const other = second === undefined ? '' : `, or ${option} ${second} if ${when}`;
    return `${option} ${first}${other}`;
  }

  /** The values that a column can have; undefined for columns of free text. */
  #knownValues(name: string): readonly string[] | undefined {
    const { fieldByKey, stages, pipelines, sources, users } = this.#organization;
    const namesOf = (items: readonly { name: string; active?: boolean }[]): string[] =>
      items.filter(({ active = true }) => active).map((item) => item.name);
    const field = fieldByKey.get(name);
    switch (field?.type) {
      case undefined:
        if (name === 'stage') return stages.map((stage) => stage.name);
        return name === 'pipeline' ? namesOf(pipelines) : undefined;
      case 'checkbox':
        return ['yes', 'no'];
      case 'select':
      case 'multiselect':
        return field.options.map(({ value }) => value);
      case 'lead_source':
        return namesOf(sources);
      case 'user':
        return namesOf(users);
      default:
        return undefined;
    }
  }

  #phoneLines(): string[] {
    if (this.#nationalPhones === 0) return [];
    const [phones, are] =
      this.#nationalPhones === 1
        ? ['1 phone has', 'is']
        : [`${countOf(this.#nationalPhones, 'phone')} have`, 'are'];
    return [
      `${phones} no country code and ${are} read as Indian, such as ${this.#nationalPhone}. Write the country code in the file if that is wrong.`,
    ];
  }
}

function valueNamed(row: ImportRow | undefined, name: string): RawValue | undefined {
  if (!row || Object.hasOwn(row.fields, name)) return row?.fields[name];
  const property = propertyByName.get(name);
  return property && row.properties[property];
}

const shortened = (text: string, maxChars: number): string =>
  text.length > maxChars ? `${text.slice(0, maxChars - 1)}…` : text;

/** For a POSIX shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
