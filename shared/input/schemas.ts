import * as v from 'valibot';
import type { RawValue } from '../leads/field-types.ts';
import { limits } from '../limits.ts';
import { nearestName } from '../organization/nearest-name.ts';

/**
 * Schema parts that several endpoints share. A message is a sentence that follows the property's name.
 * Characters are counted as people count them, in code points; `characters` and `keyMaxChars` mark the bounds for the API description.
 */

const isPlainObject = (input: unknown): input is Record<string, unknown> =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

/** PHP writes an empty array as a list: what to send in its place belongs into the message. */
const emptyObjectHint = 'an empty one is {}, not [] (in PHP: (object) [])';
const orEmptyObject =
  (sentence: string) =>
  ({ input }: v.BaseIssue<unknown>): string =>
    Array.isArray(input) && input.length === 0 ? `${sentence}; ${emptyObjectHint}.` : `${sentence}.`;

/** Said of a property that was not sent; one that was sent and could not be read has a sentence of its own. */
export const isRequired = 'is required.';

/** A body can hold thousands of unknown properties; the answer is not to be many times its size. */
const unknownNamedMax = 20;

/**
 * An object with these properties and no others. Each other one is named, beside what is wrong with the known ones; valibot's own takes a
 * list too, and names the first unknown alone.
 */
export const object = <const Entries extends v.ObjectEntries>(entries: Entries) => {
  const known = v.object(entries, isRequired);
  const inFields = Object.hasOwn(entries, 'fields') ? ' Values of fields stand inside fields.' : '';
  return v.pipe(
    v.custom<Record<string, unknown>>(isPlainObject, orEmptyObject('takes a JSON object')),
    v.rawCheck(({ dataset, addIssue }) => {
      if (!dataset.typed) return;
      const unknown = Object.entries(dataset.value).filter(([key]) => !Object.hasOwn(entries, key));
      if (unknown.length === 0) return;
      for (const [key, value] of unknown.slice(0, unknownNamedMax)) {
        const near = nearestName(key, Object.keys(entries));
        const message = near
          ? `is not known here; is ${near} meant?`
          : `is not known here; known names: ${Object.keys(entries).join(', ')}.${inFields}`;
        addIssue({ message, path: [{ type: 'object', origin: 'key', input: dataset.value, key, value }] });
      }
      // With issues the pipe ends here, before the known ones are read.
      for (const { message, path } of v.safeParse(known, dataset.value).issues ?? []) addIssue({ message, path });
    }),
    known,
  );
};

/** U+0000 and lone surrogates: no text, and nothing that UTF-8 or a database takes through. */
const isWellFormed = (text: string): boolean => !text.includes('\0') && text.isWellFormed();
export const notWellFormed = 'holds a character that is no text (U+0000, or half of a surrogate pair).';

/** A text of so many characters. */
export function text(min: number, max: number) {
  const bounds = min === 0 ? `at most ${max} characters` : `${min} to ${max} characters`;
  const counted = v.check((input: string) => {
    if (input.length < min) return false;
    // A code point is one or two units: only a text between the two needs counting.
    const characters = input.length <= max ? input.length : [...input].length;
    return characters <= max && (input.length >= 2 * min || [...input].length >= min);
  }, `takes ${bounds}.`);
  return v.pipe(v.string('takes a text.'), { ...counted, characters: { min, max } }, v.check(isWellFormed, notWellFormed));
}

/** Identifiers are integers with 0 < id <= 2147483647 (contract, section 2). */
export const id = v.pipe(
  v.number(`takes an id: an integer from 1 to ${limits.idMax}.`),
  v.integer(`takes an id: an integer from 1 to ${limits.idMax}.`),
  v.minValue(1, `takes an id: an integer from 1 to ${limits.idMax}.`),
  v.maxValue(limits.idMax, `takes an id: an integer from 1 to ${limits.idMax}.`),
);

/** The `leadId` of a path; the refusal is a 404, so its message is never read. */
export const leadIdPath = v.object({
  leadId: v.pipe(v.string(), v.regex(/^[1-9]\d{0,9}$/), v.transform(Number), v.minValue(1), v.maxValue(limits.idMax)),
});

function valueProblem(value: unknown): string | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : 'takes a number that can be held exactly.';
  const texts = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(texts) || !texts.every((one) => typeof one === 'string')) {
    return 'takes a text, a number, true or false, a list of texts, or null.';
  }
  return texts.every(isWellFormed) ? undefined : notWellFormed;
}

/**
 * Values by field key (contract, section 4.2): string, number, boolean, list of strings, or null. Which keys there are, and what each
 * takes, is the organization's. Not valibot's record, which passes over keys such as `constructor` in silence.
 */
export const fieldValues = (keyMaxChars: number = Number.POSITIVE_INFINITY) => {
  const checked = v.rawCheck<Readonly<Record<string, RawValue>>>(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    for (const [key, value] of Object.entries(dataset.value)) {
      const keyIsLong = [...key].length > keyMaxChars;
      const message = keyIsLong ? `is a key of more than ${keyMaxChars} characters.` : valueProblem(value);
      if (message) addIssue({ message, path: [{ type: 'object', origin: 'value', input: dataset.value, key, value }] });
    }
  });
  return v.pipe(
    v.custom<Readonly<Record<string, RawValue>>>(isPlainObject, orEmptyObject('takes an object of values by field key')),
    {
      ...checked,
      keyMaxChars,
    },
  );
};
