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
import { type CellType, fieldKinds } from '../../../shared/organization/field-kinds.ts';
import { type CountryCode, phoneOfCountry } from '../options.ts';
import {
  type DateFormat,
  dateFormats,
  hasShortYear,
  isNoDay,
  writtenDate,
  writtenTime,
} from './written-times.ts';

/** How the program that wrote a file writes values. */
export interface Formats {
  readonly dates?: DateFormat | undefined;
  readonly decimal?: DecimalMark | undefined;
  /** The country of phones without a country code. */
  readonly country?: CountryCode | undefined;
  /** The zone of times without one. */
  readonly timeZone?: string | undefined;
  /** The separator between the values of a list. */
  readonly listSeparator?: ListSeparator | undefined;
  /** Replacements by value in comparable form; null for an empty value. */
  readonly values?: ReadonlyMap<string, string | null> | undefined;
}

/** The separators of list values. The default is a comma, unless the file's plan names another. */
export const listSeparators = [',', ';', '|'] as const;
export type ListSeparator = (typeof listSeparators)[number];

/**
 * The other mark, a blank or an apostrophe separates groups of thousands. The first group does not begin with 0, so `0.125` has no groups.
 */
const numberForms = {
  comma: /^[+-]?(?=[\d,])(?:[1-9]\d{0,2}(?:[.\s'’]\d{3})+|\d+)?(?:,\d+)?$/,
  point: /^[+-]?(?=[\d.])(?:[1-9]\d{0,2}(?:[,\s'’]\d{3})+|\d+)?(?:\.\d+)?$/,
};
/** The marks that can separate a number's decimals. */
export const decimalMarks = keysOf(numberForms);
type DecimalMark = keyof typeof numberForms;

/** A number as the rules read it, with a decimal point and without groups; undefined if the text is not a number with this mark. */
export function writtenNumber(text: string, mark: DecimalMark): string | undefined {
  const figures = asciiFigures(text);
  if (!numberForms[mark].test(figures)) return undefined;
  return figures.replace(mark === 'comma' ? /[.\s'’]/g : /[,\s'’]/g, '').replace(',', '.');
}

/** Whether a text means different numbers with a decimal comma and with a decimal point: `12.500`, `1,250`. */
function hasTwoReadings(text: string): boolean {
  const [comma, point] = [writtenNumber(text, 'comma'), writtenNumber(text, 'point')];
  return comma !== undefined && point !== undefined && Number(comma) !== Number(point);
}

/** The kinds of values that a column can have, by how they are written. */
export type Writing = CellType | 'time' | 'phone' | 'email' | 'name' | 'list of names';

const writingOfProperty: Readonly<Partial<Record<ImportProperty, Writing>>> = {
  stage: 'name',
  pipeline: 'name',
  createdAt: 'time',
  updatedAt: 'time',
  archived: 'time',
};

export function writingOf({ field, property }: ImportTarget): Writing {
  if (!field) return (property && writingOfProperty[property]) ?? 'text';
  if (field.type === 'phone' || field.type === 'email') return field.type;
  const { isList, hasOptions, references, cell } = fieldKinds[field.type];
  if (isList) return 'list of names';
  return hasOptions || references !== null ? 'name' : cell;
}

/** Whether the values are names of the organization's stages, users, sources or options. */
export const isOfNames = (writing: Writing): boolean =>
  writing === 'name' || writing === 'list of names';

/**
 * A sentence to append to a refusal. It names the option that would make the text readable or, with a plan, the plan's member. Empty if no
 * option would help, or if the option is already set.
 * @param hasPlan whether the file is read by a plan
 */
export function hintFor(
  target: ImportTarget,
  text: string,
  formats: Formats,
  hasPlan = false,
): string {
  const writing = writingOf(target);
  const choose = (
    member: 'dates' | 'decimal' | 'listSeparator',
    choices: readonly string[],
  ): string => {
    if (choices.length === 0) return '';
    const option = member === 'listSeparator' ? 'list-separator' : member;
    const options = choices.map((one) => `--${option} ${/\w/.test(one) ? one : `'${one}'`}`);
    const values = choices.map((one) => JSON.stringify(one)).join(' or ');
    return hasPlan ? ` Add to the plan: "${member}": ${values}.` : ` Add ${options.join(' or ')}.`;
  };
  if (writing === 'number') {
    if (formats.decimal) return '';
    const isPlain = writtenNumber(text, 'point') === text && !hasTwoReadings(text);
    const marks = decimalMarks.filter((mark) => writtenNumber(text, mark) !== undefined);
    if (isPlain) return '';
    return marks.length > 0 ? choose('decimal', marks) : ' Write only the number, such as 1250.5.';
  }
  if (writing === 'date' || writing === 'time') {
    // The refusal of a date says so itself.
    if (writing === 'time' && isNoDay(text, formats.dates))
      return ' It is not a day of the calendar.';
    if (hasShortYear(text)) return ' Write the year with four digits.';
    if (formats.dates) return '';
    const read = writing === 'date' ? writtenDate : writtenTime;
    // ISO 8601 is read without an option.
    const others = dateFormats.filter((format) => format !== 'yyyy-mm-dd');
    const isReadable = read(text, undefined) !== undefined;
    return choose(
      'dates',
      isReadable ? [] : others.filter((format) => read(text, format) !== undefined),
    );
  }
  if (writing === 'list of names' && !formats.listSeparator && /[;|]/.test(text))
    return choose(
      'listSeparator',
      listSeparators.filter((mark) => mark !== ',' && text.includes(mark)),
    );
  return '';
}

/**
 * A sentence to append to a refusal. It names the option, or the plan's member, that replaces the refused word, which may be in another
 * language. Empty if the column does not hold words.
 * @param near the valid name that was probably meant
 */
export function replacementHint(
  { name, target }: { readonly name: string; readonly target: ImportTarget },
  text: string,
  near: string | undefined,
  hasPlan: boolean,
): string {
  const writing = writingOf(target);
  const isOfWords = isOfNames(writing) || writing === 'truth value';
  if (!isOfWords && !(writing === 'phone' && /\p{L}/u.test(text))) return '';
  const to = near ?? 'VALUE';
  const pair = `${name}:${text}=${to}`.replaceAll("'", "'\\''");
  const added = hasPlan
    ? `to the column in the plan: "values": {${JSON.stringify(text)}: ${JSON.stringify(to)}}`
    : `--value '${pair}'`;
  return ` Add ${added}${near === undefined ? ', where VALUE is what it means' : ''}.`;
}

/** Reads a file's value as a request would send it. @returns the issue if it cannot be read */
export function readCell(target: ImportTarget, raw: RawValue, formats: Formats): RowValue {
  const { listSeparator = ',', decimal, dates, timeZone } = formats;
  const writing = writingOf(target);
  const isList = writing === 'list of names';
  const replaced = replacedBy(formats, raw, isList);
  if (replaced === null || replaced === '') return null;
  const text = replaced ?? raw;
  if (typeof text !== 'string' || text.trim() === '') return text;
  if (writing === 'phone') return phoneOf(text, formats.country);
  if (writing === 'email' && text.includes(severalMark)) return severalValues('invalid_email');
  if (isList)
    return listSeparator === ',' || text.startsWith('[') ? text : itemsOf(text, listSeparator);
  if (replaced !== undefined) return text;
  if (writing === 'number') return numberOf(text, decimal);
  if (writing === 'time') return timeOf(text, dates, timeZone);
  if (writing !== 'date' || isDate(asciiFigures(text))) return text;
  return writtenDate(text, dates) ?? (dates ? notADate(dates) : text);
}

/** Leaves a time with a zone unchanged, and also a date, if no zone is named. */
function timeOf(text: string, dates: DateFormat | undefined, timeZone: string | undefined): string {
  const figures = asciiFigures(text);
  const isWhole =
    parseDateTime(figures) !== undefined || (timeZone === undefined && isDate(figures));
  return (isWhole ? undefined : writtenTime(text, dates, timeZone)) ?? text;
}

export const itemsOf = (text: string, separator: ListSeparator): string[] =>
  text
    .split(separator)
    .map((item) => item.trim())
    .filter((item) => item !== '');

/** The replacement of a value; undefined if the plan has none. Each item of a list is looked up. */
function replacedBy(
  { values, listSeparator = ',' }: Formats,
  raw: RawValue,
  isList: boolean,
): string | null | undefined {
  if (!values?.size || (raw !== null && typeof raw === 'object')) return undefined;
  const text = String(raw ?? '');
  const whole = values.get(comparableName(text));
  if (whole !== undefined || !isList || !text.includes(listSeparator)) return whole;
  const items = itemsOf(text, listSeparator).map((item) => {
    const replaced = values.get(comparableName(item));
    return replaced === undefined ? item : replaced;
  });
  return items.filter((item) => item !== null && item !== '').join(listSeparator);
}

function numberOf(text: string, decimal: DecimalMark | undefined): string | FieldIssue {
  if (decimal === undefined && hasTwoReadings(text))
    return notANumber('can be read as two numbers.');
  const written = writtenNumber(text, decimal ?? 'point');
  if (written !== undefined || decimal !== 'comma') return written ?? text;
  return notANumber('must be a number with a decimal comma, such as 1.250,50.');
}

const notANumber = (sentence: string): FieldIssue => new FieldIssue('invalid_number', sentence);

/** Google Contacts writes this mark between the values of a cell. */
const severalMark = ' ::: ';
const severalValues = (reason: 'invalid_phone' | 'invalid_email'): FieldIssue =>
  new FieldIssue(reason, 'holds more than one value, with ::: between them: keep one.');

/** Leaves a phone in stored form unchanged, because an update compares it with the lead's. */
function phoneOf(text: string, country: CountryCode | undefined): string | FieldIssue {
  if (text.includes(severalMark)) return severalValues('invalid_phone');
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
