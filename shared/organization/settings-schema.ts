import * as v from 'valibot';
import { parseDateTime } from '../date-time.ts';
import { limits } from '../limits.ts';
import { apiKeyScopes, apiKeyTypes } from './api-key.ts';
import { fieldTypes } from './field-kinds.ts';

/**
 * The settings file's shape (LOCAL.md, "The settings file"). Each description completes the sentence "must be …".
 * `settings-references.ts` checks that what a property refers to exists.
 */

const labelMaxChars = 200;
const fieldKeyMaxChars = 64;

/** Names with another meaning where fields are named by key, and names that JavaScript reserves. */
const reservedFieldKeys = ['__proto__', 'constructor', 'prototype', 'pipeline', 'stage'];

/** Whether JSON, DynamoDB and every client can hold the text: no U+0000, no unpaired surrogate. */
const isValidText = (text: string): boolean => text.isWellFormed() && !text.includes('\0');
const codePoints = (text: string): number => [...text].length;

const label = v.pipe(
  v.string(),
  v.check(
    (text) =>
      isValidText(text) && text !== '' && text.trim() === text && codePoints(text) <= labelMaxChars,
  ),
  v.description(
    `1 to ${labelMaxChars} characters, without spaces around them, U+0000 or unpaired surrogates`,
  ),
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
  v.description(
    'lower-case letters a to z and digits, in words joined by - or _, such as first-call',
  ),
);
const fieldKey = v.pipe(
  v.string(),
  v.regex(/^[A-Za-z0-9_][A-Za-z0-9_.-]*$/),
  v.maxLength(fieldKeyMaxChars),
  v.check((key) => !reservedFieldKeys.includes(key)),
  v.description(
    `1 to ${fieldKeyMaxChars} characters (letters a to z, digits, _, - and .), and not one of ${reservedFieldKeys.join(', ')}`,
  ),
);
const fieldReference = v.pipe(v.string(), v.check(isValidText), v.description('a field key'));
const equals = v.pipe(
  v.array(
    v.pipe(
      v.string(),
      v.check((text) => text !== '' && isValidText(text)),
      v.description('a string that is not empty'),
    ),
  ),
  v.minLength(1),
  v.description('a list of at least one string'),
);

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
  /** Without it, `name` and `phone` are required and the other fields are not. */
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
    v.pipe(
      v.string(),
      v.check((text) => parseDateTime(text) !== undefined),
      v.description('a date-time with an offset or Z, such as 2027-01-31T18:30:00+05:30'),
    ),
  ),
});

export const settingsFileSchema = v.object({
  /** For editors; the service ignores it. */
  $schema: v.optional(v.pipe(v.string(), v.description('the address of a JSON Schema'))),
  id,
  version: v.optional(
    v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.description('an integer from 1')),
  ),
  name: label,
  modules: v.array(
    v.pipe(
      v.string(),
      v.regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/),
      v.maxLength(64),
      v.description('a module name, such as crm'),
    ),
  ),
  users: v.array(userSchema),
  pipelines: v.array(pipelineSchema),
  sources: v.array(sourceSchema),
  fields: v.array(fieldSchema),
  assignmentRules: v.optional(v.array(assignmentRuleSchema), []),
  keys: v.optional(v.array(keySchema), []),
});

export type SettingsFile = v.InferOutput<typeof settingsFileSchema>;
