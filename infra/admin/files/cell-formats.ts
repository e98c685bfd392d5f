import { parseDateTime } from '../../../shared/base/dates.ts';
import { keysOf } from '../../../shared/base/maps.ts';
import { asciiFigures, comparableName } from '../../../shared/base/text.ts';
import { FieldIssue, isDate, type RawValue } from '../../../shared/leads/field-values.ts';
import { storedPhone } from '../../../shared/leads/identity.ts';
import type {
  ImportProperty,
  ImportTarget,
} from '../../../shared/leads/transfer/import-columns.ts';
import type { RowValue } from '../../../shared/leads/transfer/import-row.ts';
import { type FieldType, fieldKinds } from '../../../shared/organization/field-kinds.ts';
import { type Column, headingsNamed } from '../import/mapping.ts';
import { type CountryCode, phoneOfCountry } from '../options.ts';

/** How a file's program writes values, as the command line says. */
export interface FormatOptions {
  readonly dates?: DateFormat | undefined;
  readonly decimal?: DecimalMark | undefined;
  /** Each `COLUMN:from=to`. */
  readonly value?: readonly string[] | undefined;
  /** Of phones without a country code. */
  readonly country?: CountryCode | undefined;
}

/** A spreadsheet writes a date with its time, if the cell has one: `21.11.2026 14:30`. */
const time = '(?:[ T]+(?<hour>\\d{1,2}):(?<minute>\\d{2})(?::(?<second>\\d{2}))?)?';
const [day, month, year] = ['(?<day>\\d{1,2})', '(?<month>\\d{1,2})', '(?<year>\\d{4})'];
const dateForms = {
  'dd/mm/yyyy': new RegExp(`^${day}/${month}/${year}${time}$`),
  'mm/dd/yyyy': new RegExp(`^${month}/${day}/${year}${time}$`),
  'dd.mm.yyyy': new RegExp(`^${day}\\.${month}\\.${year}${time}$`),
  'yyyy-mm-dd': new RegExp(`^${year}-${month}-${day}${time}$`),
};
/** How the program that wrote a file writes dates. */
export const dateFormats = keysOf(dateForms);
type DateFormat = keyof typeof dateForms;
const midnight = 'T00:00:00Z';

/** Reads a date, and its time if it has one, as `YYYY-MM-DDTHH:MM:SSZ`; undefined for any other text, and for a date or time that does not exist. */
function writtenTime(text: string, format: DateFormat): string | undefined {
  const parts = dateForms[format].exec(asciiFigures(text))?.groups;
  if (!parts) return undefined;
  const pad = (part: string | undefined): string => (part ?? '0').padStart(2, '0');
  const date = `${parts.year}-${pad(parts.month)}-${pad(parts.day)}`;
  const at = `${date}T${pad(parts.hour)}:${pad(parts.minute)}:${pad(parts.second)}Z`;
  return parseDateTime(at) === undefined ? undefined : at;
}

/** Reads a date as `YYYY-MM-DD`; undefined also for one with a time other than midnight. */
function writtenDate(text: string, format: DateFormat): string | undefined {
  const at = writtenTime(text, format);
  return at?.endsWith(midnight) ? at.slice(0, -midnight.length) : undefined;
}

/** Groups of thousands are separated by the other mark, by a blank or by an apostrophe. The first does not begin with 0: `0.125` has no groups. */
const numberForms = {
  comma: /^[+-]?(?=[\d,])(?:[1-9]\d{0,2}(?:[.\s'’]\d{3})+|\d+)?(?:,\d+)?$/,
  point: /^[+-]?(?=[\d.])(?:[1-9]\d{0,2}(?:[,\s'’]\d{3})+|\d+)?(?:\.\d+)?$/,
};
/** Which mark separates the decimals of a number. */
export const decimalMarks = keysOf(numberForms);
type DecimalMark = keyof typeof numberForms;

/** A number as the rules read it: with a decimal point and no groups; undefined for a text that is not a number with this mark. */
export function writtenNumber(text: string, mark: DecimalMark): string | undefined {
  const figures = asciiFigures(text);
  if (!numberForms[mark].test(figures)) return undefined;
  return figures.replace(mark === 'comma' ? /[.\s'’]/g : /[,\s'’]/g, '').replace(',', '.');
}

/** Whether a text is one number with a decimal comma and another with a decimal point: `12.500`, `1,250`. */
function hasTwoReadings(text: string): boolean {
  const [comma, point] = [writtenNumber(text, 'comma'), writtenNumber(text, 'point')];
  return comma !== undefined && point !== undefined && Number(comma) !== Number(point);
}

/** How the values of a column are written: words may be in another language. */
type Writing = (typeof fieldKinds)[FieldType]['cell'] | 'time' | 'phone' | 'word';

const writingOfProperty: Readonly<Partial<Record<ImportProperty, Writing>>> = {
  stage: 'word',
  pipeline: 'word',
  createdAt: 'time',
  updatedAt: 'time',
  archived: 'time',
};

function writingOf({ field, property }: ImportTarget): Writing | undefined {
  if (!field) return property && writingOfProperty[property];
  if (field.type === 'phone') return 'phone';
  const { references, hasOptions, fixedValues, cell } = fieldKinds[field.type];
  return references || hasOptions || fixedValues ? 'word' : cell;
}

/** The end of a refusal: the option that would make the text readable. Empty if no option would, or it is already given. */
export function hintFor({ column, target }: Column, text: string, formats: FormatOptions): string {
  const writing = writingOf(target);
  if (writing === 'number') {
    if (formats.decimal) return '';
    const isPlain = writtenNumber(text, 'point') === text && !hasTwoReadings(text);
    const marks = decimalMarks.filter((mark) => writtenNumber(text, mark) !== undefined);
    return isPlain ? '' : optionHint('--decimal', marks);
  }
  if (writing === 'date' || writing === 'time') {
    if (formats.dates) return '';
    const read = writing === 'date' ? writtenDate : writtenTime;
    // ISO 8601 is read without an option.
    const readable = dateFormats.slice(0, -1).filter((format) => read(text, format) !== undefined);
    return optionHint('--dates', readable);
  }
  const option = `--value '${column.replaceAll("'", "'\\''")}:TEXT=VALUE'`;
  const isWord = writing === 'word' || (writing === 'phone' && /\p{L}/u.test(text));
  return isWord ? ` Add ${option} to read TEXT as VALUE.` : '';
}

const optionHint = (option: string, choices: readonly string[]): string =>
  choices.length === 0 ? '' : ` Add ${choices.map((one) => `${option} ${one}`).join(' or ')}.`;

/** @returns a value as the rules read it, or why it cannot be read */
export type ReadCell = (column: Column, raw: RawValue) => RowValue;

/**
 * Reads the values of a file by `--dates`, `--decimal`, `--country` and `--value`.
 * @param headings of the file; undefined for JSON lines, whose properties differ from line to line
 * @throws CommandError for a `--value` of a column that the file does not have
 */
export function cellReader(
  { dates, decimal, value = [], country }: FormatOptions,
  headings?: readonly string[],
): ReadCell {
  /** By column, then by value, as names are compared. */
  const replacements = new Map<string, Map<string, string>>();
  for (const text of value) {
    const { columns, from, to } = replacementIn(text, headings);
    for (const column of columns) {
      const ofColumn = replacements.get(column) ?? new Map<string, string>();
      replacements.set(column, ofColumn.set(comparableName(from), to));
    }
  }
  return ({ column, target }, raw) => {
    const writing = writingOf(target);
    const isList = target.field !== undefined && fieldKinds[target.field.type].isList;
    const replaced = replacedBy(replacements.get(column.trim()), raw, isList);
    if (replaced === '') return null;
    const text = replaced ?? raw;
    if (typeof text !== 'string' || text.trim() === '') return text;
    if (writing === 'phone') return phoneOf(text, country);
    if (replaced !== undefined) return text;
    if (writing === 'number') return numberOf(text, decimal);
    if (!dates || isDate(asciiFigures(text))) return text;
    if (writing === 'time') return writtenTime(text, dates) ?? text;
    return writing === 'date' ? (writtenDate(text, dates) ?? notADate(dates)) : text;
  };
}

/** Undefined if no `--value` names the value. Of a list, each item is looked up. */
function replacedBy(
  replacements: ReadonlyMap<string, string> | undefined,
  raw: RawValue,
  isList: boolean,
): string | undefined {
  if (!replacements || (raw !== null && typeof raw === 'object')) return undefined;
  const text = String(raw ?? '');
  const whole = replacements.get(comparableName(text));
  if (whole !== undefined || !isList || !text.includes(',')) return whole;
  const items = text.split(',').map((item) => item.trim());
  return items.map((item) => replacements.get(comparableName(item)) ?? item).join(',');
}

function numberOf(text: string, decimal: DecimalMark | undefined): string | FieldIssue {
  if (decimal === undefined && hasTwoReadings(text))
    return notANumber('can be read as two numbers.');
  const written = writtenNumber(text, decimal ?? 'point');
  if (written !== undefined || decimal !== 'comma') return written ?? text;
  return notANumber('must be a number with a decimal comma, such as 1.250,50.');
}

const notANumber = (sentence: string): FieldIssue => new FieldIssue('invalid_number', sentence);

/** A phone that a lead may have stays as it is: an update compares it with the lead's. */
function phoneOf(text: string, country: CountryCode | undefined): string | FieldIssue {
  if (/^[\d.,+]+E\+?\d+$/i.test(text.trim()))
    return notAPhone('lost digits in a spreadsheet: import the .xlsx file itself.');
  if (!country || storedPhone(text) !== undefined) return text;
  const { phone, sentence } = phoneOfCountry(text, country);
  return phone ?? notAPhone(sentence);
}

const notAPhone = (sentence: string): FieldIssue => new FieldIssue('invalid_phone', sentence);

function notADate(dates: DateFormat): FieldIssue {
  const forms = [...new Set([dates.toUpperCase(), 'YYYY-MM-DD'])].join(' or ');
  const sentence = `must be a date that exists, without a time, in the form ${forms}.`;
  return new FieldIssue('invalid_date', sentence);
}

/** A heading may contain a colon: the longest heading of the file counts. The value is split at the last `=`, as in `--map`. */
function replacementIn(
  text: string,
  headings: readonly string[] | undefined,
): { columns: readonly string[]; from: string; to: string } {
  const colons = [...text.matchAll(/:/g)].map(({ index }) => index);
  const compared = headings?.map(comparableName);
  const at =
    colons.findLast((index) => compared?.includes(comparableName(text.slice(0, index)))) ??
    colons[0] ??
    0;
  const column = text.slice(0, at).trim();
  const columns = headings
    ? headingsNamed(`--value ${JSON.stringify(text)}`, column, headings, 'the file')
    : [column];
  const value = text.slice(at + 1);
  const equals = value.lastIndexOf('=');
  return { columns, from: value.slice(0, equals).trim(), to: value.slice(equals + 1).trim() };
}
