import * as v from 'valibot';
import { limits } from '../limits.ts';
import { apiKeyScopes, apiKeyTypes } from './api-key.ts';
import { fieldTypes } from './field-kinds.ts';

/**
 * The settings file's shape (LOCAL.md, "The settings file"), property by property. The description of each value completes the sentence
 * "must be …". What a property may refer to is checked in `settings-references.ts`.
 */

const labelMaxChars = 200;
const fieldKeyMaxChars = 64;

/** Names that mean something else wherever fields are looked up by key, or that JavaScript keeps for itself. */
const reservedFieldKeys = ['__proto__', 'constructor', 'prototype', 'pipeline', 'stage'];

/** Text that JSON, DynamoDB and every reader can carry: no NUL, no half of a surrogate pair. */
const isCarriable = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const codePoints = (text: string): number => [...text].length;

const label = v.pipe(
  v.string(),
  v.check((text) => isCarriable(text) && text !== '' && text.trim() === text && codePoints(text) <= labelMaxChars),
  v.description(`1 to ${labelMaxChars} characters, without spaces around them, U+0000 or halves of surrogate pairs`),
);
const id = v.pipe(
  v.number(),
  v.integer(),
  v.minValue(1),
  v.maxValue(limits.idMax),
  v.description(`an integer from 1 to ${limits.idMax}`),
);
const order = v.pipe(v.number(), v.safeInteger(), v.description('an integer'));
const yesNo = v.pipe(v.boolean(), v.description('true or false'));
const oneOf = <const T extends readonly string[]>(names: T) =>
  v.pipe(v.picklist(names), v.description(`one of ${names.join(', ')}`));

const slug = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/),
  v.maxLength(labelMaxChars),
  v.description('lower-case letters a to z and digits, in words joined by - or _, such as first-call'),
);
const fieldKey = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/),
  v.maxLength(fieldKeyMaxChars),
  v.check((key) => !reservedFieldKeys.includes(key)),
  v.description(`1 to ${fieldKeyMaxChars} letters a to z, digits, _, - or ., and none of ${reservedFieldKeys.join(', ')}`),
);
const fieldReference = v.pipe(v.string(), v.check(isCarriable), v.description("a field's key"));
const equals = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.check((text) => text !== '' && isCarriable(text)),
      v.description('text that is not empty'),
    ),
  ),
  v.minLength(1),
  v.description('a list of at least one text'),
);

/** A date-time with an offset or Z that exists on the calendar: `Date` alone would turn 30 February into 2 March. */
function isDateTime(text: string): boolean {
  const match = /^(\d{4})-(\d{2})-(\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/.exec(text);
  if (!match || Number.isNaN(Date.parse(text))) return false;
  const [, year, month, day] = match.map(Number);
  return new Date(Date.UTC(year ?? 0, (month ?? 0) - 1, day)).getUTCDate() === day;
}

export const stageMeanings = ['open', 'won', 'lost'] as const;

export const userSchema = v.object({ id, name: label, active: v.optional(yesNo, true) });

export const stageSchema = v.object({
  id,
  name: label,
  slug,
  order,
  meaning: oneOf(stageMeanings),
  isDefault: v.optional(yesNo, false),
  active: v.optional(yesNo, true),
});

export const pipelineSchema = v.object({
  id,
  name: label,
  order,
  isDefault: v.optional(yesNo, false),
  stages: v.array(stageSchema),
});

export const sourceSchema = v.object({ id, name: label, active: v.optional(yesNo, true) });

export const optionSchema = v.object({ value: label, label });

export const showWhenSchema = v.object({ field: fieldReference, equals });

export const fieldSchema = v.object({
  key: fieldKey,
  label,
  type: oneOf(fieldTypes),
  section: label,
  storage: oneOf(['column', 'custom']),
  options: v.optional(v.array(optionSchema)),
  /** No default here: left out, `name` and `phone` are required and the others are not. */
  requiredOnCreate: v.optional(yesNo),
  requiredOnEdit: v.optional(yesNo),
  showWhen: v.optional(v.nullable(showWhenSchema), null),
  active: v.optional(yesNo, true),
});

export const assignmentRuleSchema = v.object({
  when: v.optional(v.object({ field: fieldReference, equals })),
  users: v.array(id),
});

export const keySchema = v.object({
  label,
  type: oneOf(apiKeyTypes),
  scopes: v.optional(v.array(oneOf(apiKeyScopes))),
  createdBy: id,
  expiresAt: v.optional(
    v.pipe(v.string(), v.check(isDateTime), v.description('a date-time with an offset or Z, such as 2027-01-31T18:30:00+05:30')),
  ),
});

export const settingsFileSchema = v.object({
  id,
  name: label,
  modules: v.array(
    v.pipe(v.string(), v.regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/), v.maxLength(64), v.description("a module's name, such as crm")),
  ),
  users: v.array(userSchema),
  pipelines: v.array(pipelineSchema),
  sources: v.array(sourceSchema),
  fields: v.array(fieldSchema),
  assignmentRules: v.optional(v.array(assignmentRuleSchema), []),
  keys: v.optional(v.array(keySchema), []),
});

export type SettingsFile = v.InferOutput<typeof settingsFileSchema>;
