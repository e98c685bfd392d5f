import { FieldIssue, isDate, type RawValue } from '../../../shared/leads/field-types.ts';
import {
  type DateFormat,
  type DecimalMark,
  hasTwoReadings,
  writtenDate,
  writtenNumber,
} from '../../../shared/leads/transfer/cell-formats.ts';
import type {
  ImportProperty,
  ImportTarget,
} from '../../../shared/leads/transfer/import-columns.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import { nearestName } from '../../../shared/organization/nearest-name.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { CommandError } from '../context.ts';

/** How a file's program writes values, as the command line says. */
export interface FormatOptions {
  readonly dates?: DateFormat | undefined;
  readonly decimal?: DecimalMark | undefined;
  /** Each `COLUMN:from=to`. */
  readonly value?: readonly string[] | undefined;
}

const notADecimalComma = new FieldIssue(
  'invalid_number',
  'must be a number with a decimal comma, such as 1.250,50.',
);
const hasTwoReadingsIssue = new FieldIssue(
  'invalid_number',
  'can be read as two numbers: add --decimal comma or --decimal point.',
);
/** @param form the one of `--dates` */
const notADate = (form: DateFormat): FieldIssue => {
  const forms = [...new Set([form.toUpperCase(), 'YYYY-MM-DD'])].join(' or ');
  return new FieldIssue(
    'invalid_date',
    `must be a date that exists, without a time, in the form ${forms}.`,
  );
};
const timeProperties: readonly ImportProperty[] = ['createdAt', 'updatedAt', 'archived'];

/** Turns the values of a file into values that the rules read, by `--dates`, `--decimal` and `--value`. */
export class CellFormats {
  readonly #organization: Organization;
  readonly #options: FormatOptions;
  /** By column, then by value in lower case. */
  readonly #replacements = new Map<string, Map<string, string>>();

  /** @param headings of the file; undefined for JSON lines, whose properties differ from line to line
   *  @throws CommandError for a `--value` of a column that the file does not have */
  constructor(
    organization: Organization,
    options: FormatOptions,
    headings: readonly string[] | undefined,
  ) {
    this.#organization = organization;
    this.#options = options;
    for (const text of options.value ?? []) {
      const { column, from, to } = replacementIn(text, headings);
      const ofColumn = this.#replacements.get(column) ?? new Map<string, string>();
      this.#replacements.set(column, ofColumn.set(from.toLowerCase(), to));
    }
  }

  /** @returns the value for the rules, or why the value cannot be read */
  read(column: string, target: ImportTarget, raw: RawValue): RawValue | FieldIssue {
    const type = this.#typeOf(target);
    const replaced = this.#replaced(
      column.trim(),
      raw,
      type !== undefined && fieldKinds[type].isList,
    );
    if (replaced !== undefined) return replaced === '' ? null : replaced;
    if (typeof raw !== 'string' || raw.trim() === '') return raw;
    if (type === 'date') return this.#dateOf(raw);
    if (type === 'number') return this.#numberOf(raw);
    const isTime = target.kind === 'property' && timeProperties.includes(target.property);
    return isTime ? this.#timeOf(raw) : raw;
  }

  #typeOf(target: ImportTarget) {
    return target.kind === 'field'
      ? this.#organization.fieldByKey.get(target.fieldKey)?.type
      : undefined;
  }

  /** Undefined if no `--value` names the value. Of a list, each item is looked up. */
  #replaced(column: string, raw: RawValue, isList: boolean): string | undefined {
    const ofColumn = this.#replacements.get(column);
    if (!ofColumn || (raw !== null && typeof raw !== 'string')) return undefined;
    const text = raw ?? '';
    const whole = ofColumn.get(text.trim().toLowerCase());
    if (whole !== undefined || !isList || !text.includes(',')) return whole;
    const items = text.split(',').map((item) => item.trim());
    return items.map((item) => ofColumn.get(item.toLowerCase()) ?? item).join(',');
  }

  #dateOf(text: string): string | FieldIssue {
    const { dates } = this.#options;
    if (!dates || isDate(text.trim())) return text;
    const written = writtenDate(text, dates);
    return written?.time === '00:00:00' ? written.date : notADate(dates);
  }

  #timeOf(text: string): string {
    const { dates } = this.#options;
    if (!dates || isDate(text.trim())) return text;
    const written = writtenDate(text, dates);
    return written ? `${written.date}T${written.time}Z` : text;
  }

  #numberOf(text: string): string | FieldIssue {
    const { decimal } = this.#options;
    if (decimal === undefined && hasTwoReadings(text)) return hasTwoReadingsIssue;
    const written = writtenNumber(text, decimal ?? 'point');
    return written ?? (decimal === 'comma' ? notADecimalComma : text);
  }
}

interface Replacement {
  readonly column: string;
  readonly from: string;
  readonly to: string;
}

/** A heading may contain a colon: the longest heading of the file counts. The value is split at the last `=`, as in `--map`. */
function replacementIn(text: string, headings: readonly string[] | undefined): Replacement {
  const colons = [...text.matchAll(/:/g)].map(({ index }) => index);
  const names = headings?.map((heading) => heading.trim());
  const at = names
    ? colons.findLast((index) => names.includes(text.slice(0, index).trim()))
    : colons[0];
  if (at === undefined) {
    const named = text.slice(0, colons[0]).trim();
    const near = nearestName(named, names ?? []);
    const hint = near
      ? `did you mean ${JSON.stringify(near)}?`
      : `its columns are ${(names ?? []).map((name) => JSON.stringify(name)).join(', ')}.`;
    throw new CommandError(
      `--value ${JSON.stringify(text)}: the file has no column ${JSON.stringify(named)}; ${hint}`,
    );
  }
  const value = text.slice(at + 1);
  const equals = value.lastIndexOf('=');
  return {
    column: text.slice(0, at).trim(),
    from: value.slice(0, equals).trim(),
    to: value.slice(equals + 1).trim(),
  };
}
