import { FieldIssue, isDate, type RawValue } from '../../../shared/leads/field-types.ts';
import { asciiDigits } from '../../../shared/leads/identity.ts';
import type {
  ImportProperty,
  ImportTarget,
} from '../../../shared/leads/transfer/import-columns.ts';
import { fieldKinds } from '../../../shared/organization/field-kinds.ts';
import type { Organization } from '../../../shared/organization/organization.ts';
import { assertColumn } from './mapping.ts';

/** How the program that wrote a file writes dates. */
export const dateFormats = ['dd/mm/yyyy', 'mm/dd/yyyy', 'dd.mm.yyyy', 'yyyy-mm-dd'] as const;
export type DateFormat = (typeof dateFormats)[number];

/** Which mark separates the decimals of a number. */
export const decimalMarks = ['comma', 'point'] as const;
export type DecimalMark = (typeof decimalMarks)[number];

/** A spreadsheet writes a date with its time, if the cell has one: `21.11.2026 14:30`, `11/21/2026 2:30 PM`. */
const time =
  '(?:[ T]+(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))?(?: ?(?<half>[AP]M))?)?';
const [day, month, year] = ['(?<day>\\d{1,2})', '(?<month>\\d{1,2})', '(?<year>\\d{4})'];
const dateForms: Readonly<Record<DateFormat, RegExp>> = {
  'dd/mm/yyyy': new RegExp(`^${day}/${month}/${year}${time}$`, 'i'),
  'mm/dd/yyyy': new RegExp(`^${month}/${day}/${year}${time}$`, 'i'),
  'dd.mm.yyyy': new RegExp(`^${day}\\.${month}\\.${year}${time}$`, 'i'),
  'yyyy-mm-dd': new RegExp(`^${year}-${month}-${day}${time}$`, 'i'),
};

export interface WrittenDate {
  /** `YYYY-MM-DD`; it exists. */
  readonly date: string;
  /** `HH:MM:SS`; `00:00:00` if none is written. */
  readonly time: string;
}

/** Reads a date as a program wrote it; undefined for any other text, and for a date or time that does not exist. */
export function writtenDate(text: string, format: DateFormat): WrittenDate | undefined {
  const parts = dateForms[format].exec(text.trim())?.groups;
  if (!parts) return undefined;
  const pad = (part: string | undefined): string => (part ?? '0').padStart(2, '0');
  const date = `${parts.year}-${pad(parts.month)}-${pad(parts.day)}`;
  const hour = hourOf(Number(parts.hour ?? 0), parts.half?.toUpperCase());
  const isTime = hour <= 23 && Number(parts.minute ?? 0) <= 59 && Number(parts.second ?? 0) <= 59;
  if (!isDate(date) || !isTime) return undefined;
  return { date, time: `${pad(String(hour))}:${pad(parts.minute)}:${pad(parts.second)}` };
}

/** @param half of the day, `AM` or `PM`; an hour with one is from 1 to 12 */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  return hour < 1 || hour > 12 ? Number.POSITIVE_INFINITY : (hour % 12) + (half === 'PM' ? 12 : 0);
}

/** The formats, besides ISO 8601, in which a text is a date that exists. */
export const possibleDateFormats = (text: string): DateFormat[] =>
  dateFormats.filter((format) => format !== 'yyyy-mm-dd' && writtenDate(text, format));

/** Groups of thousands are separated by the other mark, by a blank or by an apostrophe. The first does not begin with 0: `0.125` has no groups. */
const numberForms: Readonly<Record<DecimalMark, RegExp>> = {
  comma: /^[+-]?(?=[\d,])(?:[1-9]\d{0,2}(?:[.\s'’]\d{3})+|\d+)?(?:,\d+)?$/,
  point: /^[+-]?(?=[\d.])(?:[1-9]\d{0,2}(?:[,\s'’]\d{3})+|\d+)?(?:\.\d+)?$/,
};

/** Longer texts are not numbers: the rules reject them, and regular expressions should not read them. */
const numberTextMaxChars = 400;

/** A number as the rules read it: with a decimal point and no groups; undefined for a text that is not a number with this mark. */
export function writtenNumber(text: string, mark: DecimalMark): string | undefined {
  if (text.length > numberTextMaxChars) return undefined;
  const trimmed = asciiDigits(text).trim();
  if (!numberForms[mark].test(trimmed)) return undefined;
  return trimmed.replace(mark === 'comma' ? /[.\s'’]/g : /[,\s'’]/g, '').replace(',', '.');
}

/** The marks with which a text is a number. */
export const possibleDecimalMarks = (text: string): DecimalMark[] =>
  decimalMarks.filter((mark) => writtenNumber(text, mark) !== undefined);

/** Whether a text is one number with a decimal comma and another with a decimal point: `12.500`, `1,250`. */
export function hasTwoReadings(text: string): boolean {
  const [comma, point] = [writtenNumber(text, 'comma'), writtenNumber(text, 'point')];
  return comma !== undefined && point !== undefined && Number(comma) !== Number(point);
}

/** How a file's program writes values, as the command line says. */
export interface FormatOptions {
  readonly dates?: DateFormat | undefined;
  readonly decimal?: DecimalMark | undefined;
  /** Each `COLUMN:from=to`. */
  readonly value?: readonly string[] | undefined;
}

/** @param form the one of `--dates` */
const notADate = (form: DateFormat): FieldIssue => {
  const forms = [...new Set([form.toUpperCase(), 'YYYY-MM-DD'])].join(' or ');
  const sentence = `must be a date that exists, without a time, in the form ${forms}.`;
  return new FieldIssue('invalid_date', sentence);
};
const notANumber = (sentence: string): FieldIssue => new FieldIssue('invalid_number', sentence);
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
    const type =
      target.kind === 'field'
        ? this.#organization.fieldByKey.get(target.fieldKey)?.type
        : undefined;
    const isList = type !== undefined && fieldKinds[type].isList;
    const replaced = this.#replaced(column.trim(), raw, isList);
    if (replaced !== undefined) return replaced === '' ? null : replaced;
    if (typeof raw !== 'string' || raw.trim() === '') return raw;
    if (type === 'number') return this.#numberOf(raw);
    const isTime = target.kind === 'property' && timeProperties.includes(target.property);
    return type === 'date' || isTime ? this.#dateOf(raw, isTime) : raw;
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

  #dateOf(text: string, isTime: boolean): string | FieldIssue {
    const { dates } = this.#options;
    if (!dates || isDate(text.trim())) return text;
    const written = writtenDate(text, dates);
    if (isTime) return written ? `${written.date}T${written.time}Z` : text;
    return written?.time === '00:00:00' ? written.date : notADate(dates);
  }

  #numberOf(text: string): string | FieldIssue {
    const { decimal } = this.#options;
    if (decimal === undefined && hasTwoReadings(text))
      return notANumber('can be read as two numbers: add --decimal comma or --decimal point.');
    const written = writtenNumber(text, decimal ?? 'point');
    if (written !== undefined || decimal !== 'comma') return written ?? text;
    return notANumber('must be a number with a decimal comma, such as 1.250,50.');
  }
}

/** A heading may contain a colon: the longest heading of the file counts. The value is split at the last `=`, as in `--map`. */
function replacementIn(
  text: string,
  headings: readonly string[] | undefined,
): { column: string; from: string; to: string } {
  const colons = [...text.matchAll(/:/g)].map(({ index }) => index);
  const names = headings?.map((heading) => heading.trim());
  const at =
    colons.findLast((index) => names?.includes(text.slice(0, index).trim())) ?? colons[0] ?? 0;
  const column = text.slice(0, at).trim();
  if (names) assertColumn(`--value ${JSON.stringify(text)}`, column, names, 'the file');
  const value = text.slice(at + 1);
  const equals = value.lastIndexOf('=');
  return { column, from: value.slice(0, equals).trim(), to: value.slice(equals + 1).trim() };
}
