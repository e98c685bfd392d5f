import * as v from 'valibot';
import { isPlainObject, isStorableText } from '../base/json.ts';
import { limits } from '../contract/limits.ts';
import { type RefusalMessage, refusalMessage, refusalOf } from '../contract/refusals.ts';
import type { FieldReason } from '../contract/types.ts';
import type { RawValue } from '../leads/field-values.ts';
import { nearestName } from '../organization/nearest-name.ts';

/**
 * Schema parts that several endpoints share. Each message has a reason, and a sentence that follows the property's name. Characters are
 * counted in code points. Metadata holds the parts of the JSON schema that the API description cannot derive.
 */

/** PHP writes an empty array as a list, so the message says what to send instead. */
const emptyObjectHint = 'an empty one is {}, not [] (in PHP: (object) [])';
const orEmptyObject = (sentence: string) => (issue: v.BaseIssue<unknown>) => {
  const isEmptyList = Array.isArray(issue.input) && issue.input.length === 0;
  const hint = isEmptyList ? `; ${emptyObjectHint}` : '';
  return refusalMessage('wrong_type', `${sentence}${hint}.`)(issue);
};

/** The message for a missing property. A property that was sent but cannot be read has another message. */
const isRequired = refusalMessage('required', 'is required.');

/** How many unknown properties get a "did you mean": a body can hold thousands, and an error names twenty. */
const nearMissesMax = 20;

/**
 * An object that allows only these properties. Reports all unknown properties together with the issues of known ones. `noun` says what a
 * property is called, in the singular and the plural: a query has parameters. Valibot's strict object would accept a list, and report only
 * the first unknown property.
 */
export const object = <const Entries extends v.ObjectEntries>(
  entries: Entries,
  noun = { one: 'property', many: 'properties' },
) => {
  const known = v.object(entries, isRequired);
  const inFields = Object.hasOwn(entries, 'fields') ? ' Field values go inside fields.' : '';
  const names = Object.keys(entries);
  const schema = v.pipe(
    v.custom<Record<string, unknown>>(isPlainObject, orEmptyObject('must be a JSON object')),
    v.rawTransform(({ dataset: { value: sent }, addIssue, NEVER }) => {
      const missing = names.filter((name) => !Object.hasOwn(sent, name));
      const unknown = Object.keys(sent).filter((key) => !Object.hasOwn(entries, key));
      for (const [index, key] of unknown.entries()) {
        const near = index < nearMissesMax ? nearestName(key, missing) : undefined;
        const hint = near ? `did you mean ${near}?` : `known ${noun.many}: ${names.join(', ')}.`;
        addIssue({
          message: refusalMessage(
            'unknown_property',
            `is not a known ${noun.one}; ${hint}${inFields}`,
          ),
          path: [{ type: 'object', origin: 'key', input: sent, key, value: sent[key] }],
        });
      }
      const { success, output, issues = [] } = v.safeParse(known, sent);
      for (const issue of issues) {
        const { path, input } = issue;
        const { reason, sentence } = refusalOf(issue);
        const isEmpty = input === null || input === '';
        const mayBeLeftOut = entries[String(path?.[0].key)]?.type === 'optional';
        const hint = isEmpty && mayBeLeftOut ? ' Leave it out if it is empty.' : '';
        addIssue({ message: refusalMessage(reason, `${sentence}${hint}`), path });
      }
      return success ? output : NEVER;
    }),
    v.metadata({ entries }),
  );
  return Object.assign(schema, { entries }); // as valibot's own objects have them
};

const notWellFormed = refusalMessage(
  'invalid_characters',
  'contains an invalid character (U+0000 or an unpaired surrogate).',
);

export function text(min: number, max: number) {
  const bounds = min === 0 ? `at most ${max} characters` : `${min} to ${max} characters`;
  const refusedFor = (reason: FieldReason) => refusalMessage(reason, `must have ${bounds}.`);
  return v.pipe(
    v.string(refusalMessage('wrong_type', 'must be a string.')),
    v.check(
      (input) => [...input].length >= min,
      (issue) => refusedFor(issue.input === '' ? 'required' : 'too_short')(issue),
    ),
    v.check((input) => [...input].length <= max, refusedFor('too_long')),
    v.check(isStorableText, notWellFormed),
    v.metadata({ ...(min > 0 && { minLength: min }), maxLength: max }),
  );
}

/** An ID's metadata, for clients in typed languages. */
export const int32 = { format: 'int32' };

const notAnId = refusalMessage(
  'invalid_id',
  `must be an ID: an integer from 1 to ${limits.idMax}.`,
);

/** Identifiers are integers with 0 < id <= 2147483647 (contract, section 2). */
export const id = v.pipe(
  v.number(notAnId),
  v.integer(notAnId),
  v.minValue(1, notAnId),
  v.maxValue(limits.idMax, notAnId),
  v.metadata(int32),
);

/** An integer from `min` to `max`, sent as text. */
export const integerText = (min: number, max: number, message: RefusalMessage, notText = message) =>
  v.pipe(
    v.string(notText),
    v.regex(/^(0|[1-9]\d{0,9})$/, message),
    v.transform(Number),
    v.metadata({ type: 'integer' }),
    v.minValue(min, message),
    v.maxValue(max, message),
  );

const notALeadId = refusalMessage(
  'invalid_id',
  `The lead ID in the path must be an integer from 1 to ${limits.idMax}.`,
);

/** The `leadId` of a path. The response is a 404 with this message. */
export const leadIdPath = v.object({
  leadId: v.pipe(integerText(1, limits.idMax, notALeadId), v.metadata(int32)),
});

function valueIssue(value: unknown): RefusalMessage | undefined {
  if (value === null || typeof value === 'boolean') return undefined;
  if (typeof value === 'number')
    return Number.isFinite(value)
      ? undefined
      : refusalMessage('out_of_range', 'must be a finite number.');
  const strings = typeof value === 'string' ? [value] : value;
  if (!Array.isArray(strings) || !strings.every((item) => typeof item === 'string')) {
    return refusalMessage(
      'wrong_type',
      'must be a string, a number, true, false, a list of strings, or null.',
    );
  }
  return strings.every(isStorableText) ? undefined : notWellFormed;
}

/**
 * Values by field key (contract, section 4.2): string, number, boolean, list of strings, or null. The organization's settings define the
 * keys and the type of each. Valibot's record would silently skip keys such as `constructor`.
 */
export const fieldValues = (keyMaxChars?: number) =>
  v.pipe(
    v.custom<Readonly<Record<string, RawValue>>>(
      isPlainObject,
      orEmptyObject('must be an object of values by field key'),
    ),
    v.rawTransform(({ dataset, addIssue }) => {
      for (const [key, value] of Object.entries(dataset.value)) {
        const keyIsLong = keyMaxChars !== undefined && [...key].length > keyMaxChars;
        const message = keyIsLong
          ? refusalMessage(
              'unknown_field',
              `is a field key of more than ${keyMaxChars} characters.`,
            )
          : valueIssue(value);
        if (message)
          addIssue({
            message,
            path: [{ type: 'object', origin: 'value', input: dataset.value, key, value }],
          });
      }
      return dataset.value;
    }),
    v.metadata({
      type: 'object',
      ...(keyMaxChars !== undefined && { propertyNames: { maxLength: keyMaxChars } }),
      additionalProperties: { $ref: '#/components/schemas/FieldValue' },
    }),
  );
