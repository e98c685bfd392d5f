import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '../../json.ts';
import { emailOf, type FieldValues, type Lead, phoneOf } from '../lead.ts';
import type { TimelineEntry } from '../timeline.ts';
import { type Identities, type PersonSearch, wholeIdentities } from './person-search.ts';

/** Replaces a person's data. */
export const erasedMark = '[erased]';

export function identitiesOf(lead: Lead): Identities {
  const email = emailOf(lead);
  return wholeIdentities({ phones: [phoneOf(lead)], emails: email === null ? [] : [email] });
}

/** The phones and emails that a lead's timeline says it had. Those that an enquiry only submitted may be another person's. */
export function identitiesIn(entries: readonly TimelineEntry[]): Identities {
  const valuesOf = (fieldKey: string): string[] =>
    entries
      .flatMap((entry) => ('changes' in entry ? entry.changes : []))
      .flatMap(({ field, from, to }) => (field === fieldKey ? [from, to] : []))
      .filter((value) => typeof value === 'string');
  return wholeIdentities({ phones: valuesOf('phone'), emails: valuesOf('email') });
}

export const joinedIdentities = (a: Identities, b: Identities): Identities =>
  wholeIdentities({ phones: [...a.phones, ...b.phones], emails: [...a.emails, ...b.emails] });

/** A value with every match replaced, also in the texts of lists and maps. */
function cleaned(value: unknown, search: PersonSearch): unknown {
  if (typeof value === 'string') return search.replaceIn(value, erasedMark);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, search));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, cleaned(one, search)]),
  );
}

const isIdentityField = (fieldKey: string): boolean => fieldKey === 'phone' || fieldKey === 'email';

/** Whether a value is only one of the person's phones or emails: another person's email can contain their phone. */
const isIdentity = (value: unknown, search: PersonSearch): boolean =>
  typeof value === 'string' && value !== '' && search.replaceIn(value, '') === '';

/** Cleans the values of another lead's fields, but not the field keys. */
const cleanedValues = <T extends { readonly field: string }>(
  values: readonly T[],
  search: PersonSearch,
): T[] =>
  values.map((value) => {
    const clean = (side: unknown): unknown => {
      if (!isIdentityField(value.field)) return cleaned(side, search);
      return isIdentity(side, search) ? erasedMark : side;
    };
    const { field: _field, ...sides } = value;
    return {
      ...value,
      ...Object.fromEntries(Object.entries(sides).map(([name, side]) => [name, clean(side)])),
    };
  });

/** The attributes of an entry that hold text that people typed. The others, such as times, IDs and keys, hold no personal data. */
const typedAttributes: readonly string[] = ['notes', 'text', 'attribution', 'kept', 'changes'];

function cleanedEntry<T extends object>(entry: T, search: PersonSearch): T {
  const clean = (name: string, value: unknown): unknown => {
    if (!typedAttributes.includes(name)) return value;
    return name === 'kept' || name === 'changes'
      ? cleanedValues(value as { field: string }[], search)
      : cleaned(value, search);
  };
  return Object.fromEntries(
    Object.entries(entry).map(([name, value]) => [name, clean(name, value)]),
  ) as T;
}

/**
 * Erases a person from an entry of another lead's timeline. An enquiry with their phone or email is theirs: everything that it submitted is
 * erased, and the lead's own values stay. Elsewhere only the phone or email is erased. The entry keeps its shape.
 */
export function withoutPerson(entry: TimelineEntry, search: PersonSearch): TimelineEntry {
  const isTheirs =
    'kept' in entry &&
    entry.kept.some(
      ({ field, submitted }) => isIdentityField(field) && isIdentity(submitted, search),
    );
  if (!isTheirs) return cleanedEntry(entry, search);
  const { notes, attribution, ...others } = entry;
  return {
    ...others,
    kept: cleanedValues(entry.kept, search).map((value) => ({ ...value, submitted: erasedMark })),
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
  if (isDeepStrictEqual(merged, entry)) return entry;
  return { ...merged, ...(copy.cleanedAt !== undefined && { cleanedAt: copy.cleanedAt }) };
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
export const mentionsIn = (fields: FieldValues, search: PersonSearch): string[] =>
  Object.entries(fields)
    .filter(([, value]) => !isDeepStrictEqual(cleaned(value, search), value))
    .map(([fieldKey]) => fieldKey);

/** All texts in lists and maps. */
const textsIn = (value: unknown): string[] =>
  typeof value === 'string'
    ? [value]
    : isObject(value)
      ? Object.values(value).flatMap(textsIn)
      : [];
const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** The person's phones and emails that any text of a value contains. */
export function foundIn(value: unknown, search: PersonSearch): Identities {
  const found = textsIn(value).map((text) => search.foundIn(text));
  return {
    phones: found.flatMap(({ phones }) => phones),
    emails: found.flatMap(({ emails }) => emails),
  };
}
