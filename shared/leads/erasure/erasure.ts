import { isPlainObject } from '../../base/json.ts';
import type { FieldValues, Lead } from '../lead.ts';
import type { TimelineEntry } from '../timeline.ts';
import { type Identities, identitiesAmong, type PersonSearch } from './person-search.ts';

export const erasedMark = '[erased]';

export const identitiesOf = ({ fields }: Lead): Identities =>
  identitiesAmong([fields.phone, fields.email]);

const isIdentityField = (fieldKey: unknown): boolean =>
  fieldKey === 'phone' || fieldKey === 'email';

/**
 * The phones and emails that a lead has had, according to its timeline. Excludes values that an enquiry submitted without filling them:
 * they may be another person's.
 */
export const identitiesIn = (entries: readonly TimelineEntry[]): Identities =>
  identitiesAmong(
    entries
      .flatMap((entry) => ('changes' in entry ? entry.changes : []))
      .flatMap(({ field, from, to }) => (isIdentityField(field) ? [from, to] : [])),
  );

/** Maps an object's values; the result has the same keys and value types. */
const mapValues = <T extends object>(
  map: T,
  change: (value: unknown, name: string) => unknown,
): T =>
  Object.fromEntries(Object.entries(map).map(([name, value]) => [name, change(value, name)])) as T;

/** Whether a value is only one of the person's phones or emails: another person's email can contain their phone. */
const isIdentity = (value: unknown, search: PersonSearch): boolean =>
  typeof value === 'string' && value !== '' && search.replaceIn(value, '') === '';

/**
 * Replaces every match in a value, also in the texts of lists and maps. A map with a field key holds a value of a lead's field: its key
 * stays, and only a whole phone or email is replaced.
 */
function cleaned(value: unknown, search: PersonSearch): unknown {
  if (typeof value === 'string') return search.replaceIn(value, erasedMark);
  if (Array.isArray(value)) return value.map((item) => cleaned(item, search));
  if (!isPlainObject(value)) return value;
  return mapValues(value, (part, name) => {
    if (name === 'field') return part;
    if (!isIdentityField(value.field)) return cleaned(part, search);
    return isIdentity(part, search) ? erasedMark : part;
  });
}

/** The attributes of an entry that hold text typed by people. All other attributes, such as times, IDs and keys, hold no personal data. */
const typedAttributes: readonly string[] = [
  'notes',
  'text',
  'submittedSource',
  'attribution',
  'kept',
  'changes',
];

/** The values of an entry that people typed. */
export const typedIn = (entry: TimelineEntry): unknown[] =>
  Object.entries(entry).flatMap(([name, value]) => (typedAttributes.includes(name) ? value : []));

/**
 * Erases a person from an entry of another lead's timeline. An enquiry with their phone or email is theirs: everything that it submitted is
 * erased, and the lead's own values stay. Elsewhere only the phone or email is erased. The entry keeps its shape.
 */
export function withoutPerson(entry: TimelineEntry, search: PersonSearch): TimelineEntry {
  const clean = mapValues(entry, (value, name) =>
    typedAttributes.includes(name) ? cleaned(value, search) : value,
  );
  const isTheirs =
    'kept' in entry &&
    entry.kept.some(
      ({ field, submitted }) => isIdentityField(field) && isIdentity(submitted, search),
    );
  if (!isTheirs || !('kept' in clean)) return clean;
  const { notes, submittedSource, attribution } = clean;
  return {
    ...clean,
    kept: clean.kept.map((value) => ({ ...value, submitted: erasedMark })),
    ...(notes !== undefined && { notes: erasedMark }),
    ...(submittedSource !== undefined && { submittedSource: erasedMark }),
    ...(attribution && { attribution: mapValues(attribution, () => erasedMark) }),
  };
}

/** The fields of another lead that mention the person. Fields are the other lead's own data, so an administrator decides about them. */
export const mentionsIn = (fields: FieldValues, search: PersonSearch): string[] =>
  Object.entries(fields)
    .filter(([, value]) => foundIn(value, search).length > 0)
    .map(([fieldKey]) => fieldKey);

/** The person's phones and emails in the texts of a value, also those of lists and maps. */
export function foundIn(value: unknown, search: PersonSearch): Identities {
  if (typeof value === 'string') return search.foundIn(value);
  return Object.values(value ?? {}).flatMap((part) => foundIn(part, search));
}
