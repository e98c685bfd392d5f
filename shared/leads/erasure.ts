import { isDeepStrictEqual } from 'node:util';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { comparableEmail } from './identity.ts';
import { emailOf, type FieldValues, type Lead, phoneOf } from './lead.ts';
import type { TimelineEntry } from './timeline.ts';

/** What tells a person from others, in the forms that are compared. */
export interface Identities {
  readonly phones: readonly string[];
  readonly emails: readonly string[];
}

/** Stands where a person's data was. */
export const erasedMark = '[erased]';

export function identitiesOf(lead: Lead): Identities {
  const email = emailOf(lead);
  return { phones: [phoneOf(lead)], emails: email === null ? [] : [comparableEmail(email)] };
}

/** Every phone and e-mail that a lead's timeline tells of: those it had before, and those that enquiries of the same person sent. */
export function identitiesIn(entries: readonly TimelineEntry[]): Identities {
  const said = (fieldKey: string): string[] =>
    entries
      .flatMap((entry) => [
        ...('kept' in entry
          ? entry.kept.flatMap(({ field, current, submitted }) => (field === fieldKey ? [current, submitted] : []))
          : []),
        ...('changes' in entry ? entry.changes.flatMap(({ field, from, to }) => (field === fieldKey ? [from, to] : [])) : []),
      ])
      .filter((value) => typeof value === 'string');
  return { phones: [...new Set(said('phone'))], emails: [...new Set(said('email').map(comparableEmail))] };
}

export const joinedIdentities = (a: Identities, b: Identities): Identities => ({
  phones: [...new Set([...a.phones, ...b.phones])],
  emails: [...new Set([...a.emails, ...b.emails])],
});

/** Finds a person's phones and e-mails in any text. */
export type Traces = RegExp;

/** Between the digits of a phone as people write it. */
const gap = '[\\s().\\-]*';
/** A number of eight digits may look like a day with them: 2026-11-21 is one. */
const noDate = '(?!\\d{4}-\\d\\d-\\d\\d(?!\\d))';
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** Phones in any spelling, with and without the country's code; e-mails without regard to case; both as part of an address too. */
export function tracesOf({ phones, emails }: Identities): Traces {
  const parts = [...phones.map(phonePattern), ...emails.map(emailPattern)];
  return new RegExp(parts.length > 0 ? parts.join('|') : '(?!)', 'giu');
}

function phonePattern(phone: string): string {
  const parsed = parsePhoneNumberFromString(phone);
  const digits = (text: string): string => [...text.replace(/\D/g, '')].join(gap);
  if (!parsed) return `(?<!\\d)${noDate}${digits(phone)}(?!\\d)`;
  const country = `(?:(?:(?:\\+|%2B|00)${gap})?${digits(parsed.countryCallingCode)}${gap}(?:\\(?0\\)?${gap})?|\\(?0${gap})?`;
  return `(?<!\\d)${noDate}${country}\\(?${digits(parsed.nationalNumber)}(?!\\d)`;
}

function emailPattern(email: string): string {
  const spelled = escaped(email).replace('@', '(?:@|%40)').replaceAll('\\+', '(?:\\+|%2B)');
  return `(?<![\\p{L}\\p{N}._+])${spelled}(?![\\p{L}\\p{N}]|[.\\-]+[\\p{L}\\p{N}])`;
}

const hasTraces = (value: unknown, traces: Traces): boolean => typeof value === 'string' && value.search(traces) >= 0;

/** A value with every trace replaced, texts within lists and maps too; the same value where there is none. */
function cleaned<T>(value: T, traces: Traces): T {
  if (typeof value === 'string') return (hasTraces(value, traces) ? value.replace(traces, erasedMark) : value) as T;
  if (Array.isArray(value)) return value.map((item) => cleaned(item, traces)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, cleaned(one, traces)])) as T;
}

/** Values of a field of another lead: which field it is stays. */
const cleanedValues = <T extends { readonly field: string }>(values: readonly T[], traces: Traces): T[] =>
  values.map(({ field, ...sides }) => ({ field, ...cleaned(sides, traces) }) as T);

/** Of an entry's own, only what people typed is looked through: times, ids and keys are the service's. */
function cleanedEntry<T extends object>(entry: T, traces: Traces): T {
  const clean = (name: string, value: unknown): unknown => {
    if (name === 'kept' || name === 'changes') return cleanedValues(value as { field: string }[], traces);
    return name === 'notes' || name === 'text' || name === 'attribution' ? cleaned(value, traces) : value;
  };
  return Object.fromEntries(Object.entries(entry).map(([name, value]) => [name, clean(name, value)])) as T;
}

/**
 * An entry of another lead's timeline without the person. An enquiry that was sent with their phone or e-mail is theirs: all that it
 * submitted goes, what the lead itself had stays. Anywhere else the phone or e-mail alone goes. The entry keeps its shape.
 */
export function withoutPerson(entry: TimelineEntry, traces: Traces): TimelineEntry {
  const isTheirs = 'kept' in entry && entry.kept.some(({ submitted }) => hasTraces(submitted, traces));
  if (!isTheirs) return cleanedEntry(entry, traces);
  const { notes, attribution, ...others } = entry;
  return {
    ...cleanedEntry(others, traces),
    kept: entry.kept.map(({ field, current }) => ({ field, current: cleaned(current, traces), submitted: erasedMark })),
    ...(notes !== undefined && { notes: erasedMark }),
    ...(attribution && { attribution: Object.fromEntries(Object.keys(attribution).map((name) => [name, erasedMark])) }),
  };
}

/** The fields in which another lead mentions the person: they are that lead's data, and an administrator's to judge. */
export const mentionsIn = (fields: FieldValues, traces: Traces): string[] =>
  Object.entries(fields)
    .filter(([, value]) => !isDeepStrictEqual(cleaned(value, traces), value))
    .map(([fieldKey]) => fieldKey);
