import { isDate } from '../field-types.ts';
import { asciiDigits } from '../identity.ts';

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
