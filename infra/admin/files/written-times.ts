import { parseDateTime } from '../../../shared/base/dates.ts';
import { keysOf } from '../../../shared/base/maps.ts';
import { asciiFigures, comparableName } from '../../../shared/base/text.ts';

/** A spreadsheet writes a date with its time, if the cell has one: `21.11.2026 14:30`. Some programs add AM or PM, and a zone. */
const time =
  '(?:(?:,? +|t)(?:at )?(?<hour>\\d{1,2})[:.](?<minute>\\d{2})(?:[:.](?<second>\\d{2})(?:[.,]\\d{1,9})?)?(?: ?(?<half>[ap])\\.?m\\.?)?(?: ?(?<zone>z|(?:utc|gmt)?(?:[+-]\\d{1,2}:\\d{2}|[+-]\\d{4}|[+-]\\d{2}|(?<=utc|gmt)(?:[+-]\\d)?)))?)?';
const [day, month, year] = ['(?<day>\\d{1,2})', '(?<month>\\d{1,2})', '(?<year>\\d{4})'];
const formOf = (date: string): RegExp => new RegExp(`^${date}${time}$`);
const forms = {
  'dd/mm/yyyy': formOf(`${day}/${month}/${year}`),
  'mm/dd/yyyy': formOf(`${month}/${day}/${year}`),
  'dd.mm.yyyy': formOf(`${day}\\.${month}\\.${year}`),
  'dd-mm-yyyy': formOf(`${day}-${month}-${year}`),
  'yyyy-mm-dd': formOf(`${year}-${month}-${day}`),
};
/** The formats in which programs write dates. */
export const dateFormats = keysOf(forms);
export type DateFormat = keyof typeof forms;

const weekday = '(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? )?';
const named = '(?<named>\\p{L}{3,9})\\.?';
/** Forms that can be read in only one way. */
const plainForms = [
  forms['yyyy-mm-dd'],
  formOf(`${year}/${month}/${day}`),
  new RegExp(`^${weekday}${day}(?:th|st|nd|rd)?\\.?[ -]${named},?[ -]${year}${time}$`, 'u'),
  new RegExp(`^${weekday}${named} ${day}(?:th|st|nd|rd)?,? ${year}${time}$`, 'u'),
];

/** The months in English, then in German where it differs. */
const months = [
  'january januar jan',
  'february februar feb',
  'march märz mar mär mrz',
  'april apr',
  'may mai',
  'june juni jun',
  'july juli jul',
  'august aug',
  'september sep sept',
  'october oktober oct okt',
  'november nov',
  'december dezember dec dez',
].map((names) => names.split(' '));

/** A time as written in a file. */
interface WrittenTime {
  /** `YYYY-MM-DD` */
  readonly date: string;
  /** `HH:MM:SS` */
  readonly time: string;
  /** `Z` or `+05:30`; undefined if the file names no zone. */
  readonly zone: string | undefined;
}

type Parts = Readonly<Record<string, string | undefined>>;

/** The parts of a text in each form that it has. */
function partsIn(text: string, format: DateFormat | undefined): Parts[] {
  const written = comparableName(asciiFigures(text));
  const all = format ? [forms[format], ...plainForms] : plainForms;
  return all.map((form) => form.exec(written)?.groups).filter((parts) => parts !== undefined);
}

function writtenIn(text: string, format: DateFormat | undefined): WrittenTime | undefined {
  for (const parts of partsIn(text, format)) {
    const found = timeOf(parts);
    if (found) return found;
  }
  return undefined;
}

/** Whether a text is written as a date that the calendar does not have, such as 31/02/2026. */
export const isNoDay = (text: string, format: DateFormat | undefined): boolean =>
  partsIn(text, format)
    .map(dateOf)
    .some((date) => !date.includes(unknownMonth) && parseDateTime(`${date}T00:00Z`) === undefined);

/** Whether a text is written as a date whose year has two digits, such as 14-Mar-26. */
export const hasShortYear = (text: string): boolean =>
  /^\d{1,2}([-/. ])(?:\d{1,2}|\p{L}{3,9})\1\d{2}(?!\d)/u.test(asciiFigures(text));

const pad = (part: string | number = '0'): string => String(part).padStart(2, '0');

/** Stands for a word that names no month. */
const unknownMonth = 'MM';

function dateOf(parts: Parts): string {
  const month = parts.named
    ? months.findIndex((names) => names.includes(parts.named ?? '')) + 1 || unknownMonth
    : parts.month;
  return `${parts.year}-${pad(month)}-${pad(parts.day)}`;
}

function timeOf(parts: Parts): WrittenTime | undefined {
  const date = dateOf(parts);
  let hour = Number(parts.hour ?? 0);
  if (parts.half) {
    if (hour < 1 || hour > 12) return undefined;
    hour = (hour % 12) + (parts.half === 'p' ? 12 : 0);
  }
  const time = `${pad(hour)}:${pad(parts.minute)}:${pad(parts.second)}`;
  const zone = parts.zone === undefined ? undefined : zoneOf(parts.zone);
  return parseDateTime(`${date}T${time}${zone ?? 'Z'}`) === undefined
    ? undefined
    : { date, time, zone };
}

function zoneOf(written: string): string {
  const [, sign, hours = '', minutes = '00'] = /([+-])(\d{1,2}):?(\d{2})?$/.exec(written) ?? [];
  return sign === undefined ? 'Z' : `${sign}${hours.padStart(2, '0')}:${minutes}`;
}

/**
 * Reads a time, or a date as its midnight, as `YYYY-MM-DDTHH:MM:SSZ`.
 * @param timeZone the zone of times without one
 * @returns undefined for any other text, for a time that does not exist, and for a time that a zone's clocks show twice
 */
export function writtenTime(
  text: string,
  format: DateFormat | undefined,
  timeZone?: string,
): string | undefined {
  const written = writtenIn(text, format);
  if (!written) return undefined;
  const { date, time, zone } = written;
  const local = `${date}T${time}`;
  if (zone === undefined && timeZone !== undefined) return instantIn(timeZone, local);
  const at = parseDateTime(`${local}${zone ?? 'Z'}`);
  return at === undefined ? undefined : textOf(at);
}

/** Whether a text is a time or a date without a zone. */
export const lacksZone = (text: string, format: DateFormat | undefined): boolean => {
  const written = writtenIn(text, format);
  return written !== undefined && written.zone === undefined;
};

/** Reads a date as `YYYY-MM-DD`; undefined also if it has a time other than midnight. */
export function writtenDate(text: string, format: DateFormat | undefined): string | undefined {
  const written = writtenIn(text, format);
  return written?.time === '00:00:00' ? written.date : undefined;
}

const textOf = (at: number): string => new Date(at).toISOString().replace('.000Z', 'Z');
const dayMs = 86_400_000;

/** The moment when a zone's clocks show a time; undefined if they skip it or show it twice. */
function instantIn(timeZone: string, local: string): string | undefined {
  const shown = new Intl.DateTimeFormat('sv', {
    timeZone,
    dateStyle: 'short',
    timeStyle: 'medium',
  });
  const asUtc = Date.parse(`${local}Z`);
  const offsetAt = (at: number): number =>
    Date.parse(`${shown.format(at).replace(' ', 'T')}Z`) - at;
  const offsets = new Set([asUtc - dayMs, asUtc + dayMs].map(offsetAt));
  const moments = [...offsets]
    .map((offset) => asUtc - offset)
    .filter((at) => at + offsetAt(at) === asUtc);
  const [moment, second] = moments;
  return moment === undefined || second !== undefined ? undefined : textOf(moment);
}
