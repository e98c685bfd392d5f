import { isDeepStrictEqual } from 'node:util';
import { parsePhoneNumberFromString } from 'libphonenumber-js/min';
import { isPlainObject } from '../../json.ts';
import { hasEmailForm } from '../field-types.ts';
import { asciiDigits, comparableEmail, parsePhone } from '../identity.ts';
import { emailOf, type FieldValues, type Lead, phoneOf } from '../lead.ts';
import type { TimelineEntry } from '../timeline.ts';

/** A person's phones and emails, in the forms in which they are compared. */
export interface Identities {
  readonly phones: readonly string[];
  readonly emails: readonly string[];
}

/** Replaces a person's data. */
export const erasedMark = '[erased]';

/**
 * The values that are a whole phone or email. Timelines also hold other values: the mark of an earlier erasure, a value that was cut to fit,
 * a damaged value. Such a value identifies nobody, and a search for it would match everybody's texts.
 */
export const wholeIdentities = ({ phones, emails }: Identities): Identities => ({
  phones: [...new Set(phones.filter(isWholePhone))],
  emails: [...new Set(emails.filter(hasEmailForm).map(comparableEmail))],
});

/** As it is stored: E.164. A numbering plan may have moved since, so that the phone is read no more, but its person still had it. */
function isWholePhone(phone: string): boolean {
  return parsePhone(phone) === phone || /^\+[1-9]\d{6,14}$/.test(phone);
}

export function identitiesOf(lead: Lead): Identities {
  const email = emailOf(lead);
  return wholeIdentities({ phones: [phoneOf(lead)], emails: email === null ? [] : [email] });
}

/** Every phone and email on a lead's timeline: those that the lead had, and those that enquiries submitted. */
export function identitiesIn(entries: readonly TimelineEntry[]): Identities {
  const valuesOf = (fieldKey: string): string[] =>
    entries
      .flatMap((entry) => [
        ...('kept' in entry
          ? entry.kept.flatMap(({ field, current, submitted }) =>
              field === fieldKey ? [current, submitted] : [],
            )
          : []),
        ...('changes' in entry
          ? entry.changes.flatMap(({ field, from, to }) => (field === fieldKey ? [from, to] : []))
          : []),
      ])
      .filter((value) => typeof value === 'string');
  return wholeIdentities({ phones: valuesOf('phone'), emails: valuesOf('email') });
}

export const joinedIdentities = (a: Identities, b: Identities): Identities =>
  wholeIdentities({ phones: [...a.phones, ...b.phones], emails: [...a.emails, ...b.emails] });

/** Finds a person's phones and emails in any text. */
export type IdentityPattern = RegExp;

/** The characters that people write between the digits of a phone, in an address too. */
const gap = '(?:[\\s().\\p{Pd}\\p{Cf}]|%20)*';
/** The end of an escape of an address, such as `%20`, does not belong to what follows. */
const afterEscape = '(?<=%[0-9A-F]{2})';
/** A date, such as 2026-11-21, can look like a phone number of eight digits. */
const noDate = '(?!\\d{4}-\\d\\d-\\d\\d(?!\\d))';
/** Leaves hyphens as they are: `\\-` is a syntax error in a Unicode pattern. */
const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&');

/** A search that would match data of other people. It is a defect of the program, and must erase nothing. */
export class UnsafeSearchError extends Error {
  override readonly name = 'UnsafeSearchError';
}

/**
 * Matches phones in any spelling, with and without the country code, and emails in any case, also inside a URL.
 * @throws UnsafeSearchError if an identity is not a whole phone or email, or the pattern would match an empty text
 */
export function identityPatternOf(identities: Identities): IdentityPattern {
  if (!isDeepStrictEqual(wholeIdentities(identities), identities))
    throw new UnsafeSearchError('A search for a person must have only whole phones and emails.');
  // Emails first: an email that contains the person's phone is erased as a whole.
  const parts = [...identities.emails.map(emailPattern), ...identities.phones.map(phonePattern)];
  const pattern = new RegExp(parts.length > 0 ? parts.join('|') : '(?!)', 'giu');
  if (''.search(pattern) >= 0)
    throw new UnsafeSearchError('A search for a person must not match an empty text.');
  return pattern;
}

/** A national number with fewer digits is matched only with the country code: "room 1234" is not a phone. */
const nationalDigitsMin = 7;

function phonePattern(phone: string): string {
  const parsed = parsePhoneNumberFromString(phone);
  const digits = (text: string): string => [...text].map(digitOfAnyScript).join(gap);
  const zero = digitOfAnyScript('0');
  const prefix = `(?:[+＋]|%2B|${zero}${zero})${gap}`;
  const whole = (spelled: string): string =>
    `(?:(?<!\\p{Nd})|${afterEscape})${noDate}${spelled}(?!\\p{Nd})`;
  if (!parsed) return whole(`(?:${prefix})?${digits(phone.slice(1))}`); // of a country that is not known: its code is a part
  const countryCode = `${digits(parsed.countryCallingCode)}${gap}(?:\\(?${zero}\\)?${gap})?`;
  const isShort = parsed.nationalNumber.length < nationalDigitsMin;
  const country = isShort
    ? `${prefix}${countryCode}`
    : `(?:(?:${prefix})?${countryCode}|\\(?${zero}${gap})?`;
  return whole(`${country}\\(?${digits(parsed.nationalNumber)}`);
}

let digitsOfAnyScript: readonly string[] | undefined;

/** Matches an ASCII digit and those of other scripts that mean it: a phone is read with them, and people note it so. */
function digitOfAnyScript(digit: string): string {
  digitsOfAnyScript ??= readDigits();
  return `[${digitsOfAnyScript[Number(digit)]}]`;
}

function readDigits(): string[] {
  const byValue = Array.from({ length: 10 }, () => '');
  const characters = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code));
  for (const [digit] of characters.join('').matchAll(/\p{Nd}/gu))
    byValue[Number(asciiDigits(digit))] += digit;
  return byValue;
}

/** Before an email, what would make it the end of another one, such as the hyphen of anne-marie@example.com. */
const restOfAnother = "[\\p{L}\\p{N}._+]|[\\p{L}\\p{N}][\\-']";

function emailPattern(email: string): string {
  const spelled = escaped(email).replace('@', '(?:@|%40)').replaceAll('\\+', '(?:\\+|%2B)');
  return `(?:(?<!${restOfAnother})|${afterEscape})${spelled}(?![\\p{L}\\p{N}]|[.\\-]+[\\p{L}\\p{N}])`;
}

const mentions = (value: unknown, pattern: IdentityPattern): boolean =>
  typeof value === 'string' && value.search(pattern) >= 0;

/** A value with every match replaced, also in the texts of lists and maps. */
function cleaned<T>(value: T, pattern: IdentityPattern): T {
  if (typeof value === 'string')
    return (mentions(value, pattern) ? value.replace(pattern, erasedMark) : value) as T;
  if (Array.isArray(value)) return value.map((item) => cleaned(item, pattern)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, cleaned(one, pattern)]),
  ) as T;
}

const isIdentityField = (fieldKey: string): boolean => fieldKey === 'phone' || fieldKey === 'email';

/** Whether a value is only one of the person's phones or emails: another person's email can contain their phone. */
const isIdentity = (value: unknown, pattern: IdentityPattern): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  [value, comparableEmail(value)].some((spelled) => spelled.replace(pattern, '') === '');

/** Cleans the values of another lead's fields, but not the field keys. */
const cleanedValues = <T extends { readonly field: string }>(
  values: readonly T[],
  pattern: IdentityPattern,
): T[] =>
  values.map((value) => {
    const clean = (side: unknown): unknown => {
      if (!isIdentityField(value.field)) return cleaned(side, pattern);
      return isIdentity(side, pattern) ? erasedMark : side;
    };
    const { field: _field, ...sides } = value;
    return {
      ...value,
      ...Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, clean(side)])),
    };
  });

/** The attributes of an entry that hold text that people typed. The others, such as times, IDs and keys, hold no personal data. */
const typedAttributes: readonly string[] = ['notes', 'text', 'attribution', 'kept', 'changes'];

function cleanedEntry<T extends object>(entry: T, pattern: IdentityPattern): T {
  const clean = (name: string, value: unknown): unknown => {
    if (!typedAttributes.includes(name)) return value;
    return name === 'kept' || name === 'changes'
      ? cleanedValues(value as { field: string }[], pattern)
      : cleaned(value, pattern);
  };
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, clean(name, value)]),
  ) as T;
}

/**
 * Erases a person from an entry of another lead's timeline. An enquiry with their phone or email is theirs: everything that it submitted is
 * erased, and the lead's own values stay. Elsewhere only the phone or email is erased. The entry keeps its shape.
 */
export function withoutPerson(entry: TimelineEntry, pattern: IdentityPattern): TimelineEntry {
  const isTheirs =
    'kept' in entry &&
    entry.kept.some(
      ({ field, submitted }) => isIdentityField(field) && isIdentity(submitted, pattern),
    );
  if (!isTheirs) return cleanedEntry(entry, pattern);
  const { notes, attribution, ...others } = entry;
  return {
    ...others,
    kept: cleanedValues(entry.kept, pattern).map((value) => ({ ...value, submitted: erasedMark })),
    ...(notes !== undefined && { notes: erasedMark }),
    ...(attribution && {
      attribution: Object.fromEntries(Object.keys(attribution).map((name) => [name, erasedMark])),
    }),
  };
}

/** Marks with one character between them. No erasure leaves this, because no phone or email is that short. */
const marksInARow = /(?:\[erased\](?!\[erased\])\D){2,}\[erased\]/gu;
const isDamaged = (text: string): boolean =>
  (text.match(marksInARow) ?? []).some((row) => /\p{L}/u.test(row.replaceAll(erasedMark, '')));

function hasDamage(value: unknown): boolean {
  if (typeof value === 'string') return isDamaged(value);
  return typeof value === 'object' && value !== null && Object.values(value).some(hasDamage);
}

/** The attributes of an entry that hold a text that an earlier erasure destroyed: its search matched between all characters. */
export const damagedAttributes = (entry: Readonly<Record<string, unknown>>): string[] =>
  typedAttributes.filter((name) => hasDamage(entry[name]));

/**
 * Erases from an entry what was erased from another copy of it. Other differences stay, and a damaged copy changes nothing.
 * @returns the entry itself if nothing was erased from the copy
 */
export function withErasuresOf<T extends Readonly<Record<string, unknown>>>(
  entry: T,
  copy: Readonly<Record<string, unknown>>,
): T {
  if (damagedAttributes(copy).length > 0) return entry;
  const erased = typedAttributes.filter((name) => Object.hasOwn(entry, name));
  const merged = {
    ...entry,
    ...Object.fromEntries(erased.map((name) => [name, withErased(entry[name], copy[name])])),
  };
  return isDeepStrictEqual(merged, entry) ? entry : merged;
}

function withErased(value: unknown, copy: unknown): unknown {
  if (typeof copy === 'string') return isErasureOf(value, copy) ? copy : value;
  if (Array.isArray(value) && Array.isArray(copy))
    return value.length === copy.length
      ? value.map((item, at) => withErased(item, copy[at]))
      : value;
  if (!isPlainObject(value) || !isPlainObject(copy)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, withErased(one, copy[name])]),
  );
}

/** Whether a text is the value with parts replaced by marks: the parts between the marks occur in the value, in this order. */
function isErasureOf(value: unknown, text: string): boolean {
  if (text === erasedMark) return true;
  const [first = '', ...others] = text.split(erasedMark);
  const last = others.pop();
  if (typeof value !== 'string' || last === undefined || !value.startsWith(first)) return false;
  let end = first.length;
  for (const part of others) {
    const at = value.indexOf(part, end);
    if (at < 0) return false;
    end = at + part.length;
  }
  return value.endsWith(last) && value.length - last.length >= end;
}

/** The fields of another lead that mention the person. They are that lead's data, so an administrator decides about them. */
export const mentionsIn = (fields: FieldValues, pattern: IdentityPattern): string[] =>
  Object.entries(fields)
    .filter(([, value]) => !isDeepStrictEqual(cleaned(value, pattern), value))
    .map(([fieldKey]) => fieldKey);
