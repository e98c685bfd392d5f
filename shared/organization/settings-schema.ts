import * as v from 'valibot';
import { parseDateTime } from '../base/dates.ts';
import { isStorableText } from '../base/json.ts';
import { apiKeyScopes } from '../contract/endpoints.ts';
import { limits } from '../contract/limits.ts';
import { apiKeyTypes } from './api-key.ts';
import { fieldTypes } from './field-kinds.ts';

/**
 * The settings file's shape (settings-file.md, "The settings file"). Each description completes the sentence "must be …".
 * `settings-references.ts` checks that what a property refers to exists.
 */

const labelMaxChars = 200;
const fieldKeyMaxChars = 64;

/** `pipeline` and `stage` mean something else wherever a field is named by its key. The others are special in JavaScript. */
const reservedFieldKeys = ['__proto__', 'constructor', 'prototype', 'pipeline', 'stage'];

const codePoints = (text: string): number => [...text].length;

/**
 * Checks a text with a function. `jsonSchema` expresses the check in `organization schema`; where it cannot express everything, it accepts
 * more.
 */
const text = (isValid: (text: string) => boolean, jsonSchema: Readonly<Record<string, unknown>>) =>
  v.pipe(v.string(), v.check(isValid), v.metadata(jsonSchema));

const label = v.pipe(
  text(
    (label) =>
      isStorableText(label) &&
      label !== '' &&
      label.trim() === label &&
      codePoints(label) <= labelMaxChars,
    { minLength: 1, maxLength: labelMaxChars, pattern: '^\\S([\\s\\S]*\\S)?$' },
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
  v.metadata({ not: { enum: reservedFieldKeys } }),
  v.description(
    `1 to ${fieldKeyMaxChars} characters (letters a to z, digits, _, - and .), and not one of ${reservedFieldKeys.join(', ')}`,
  ),
);
const fieldReference = v.pipe(text(isStorableText, {}), v.description('a field key'));
const equals = v.pipe(
  v.array(
    v.pipe(
      text((value) => value !== '' && isStorableText(value), { minLength: 1 }),
      v.description('a string that is not empty'),
    ),
  ),
  v.minLength(1),
  v.description('a list of at least one string'),
);

export const stageMeanings = ['open', 'won', 'lost'] as const;

/**
 * A property with a title that says what it is for. `organization schema` prints titles, so that an editor shows them: JSON has no
 * comments.
 */
const about = <S extends v.GenericSchema>(title: string, schema: S) =>
  v.pipe(schema, v.title<v.InferOutput<S>, string>(title));

/** A yes or no that may be omitted. */
const flag = <const Fallback extends boolean | undefined>(title: string, fallback: Fallback) =>
  v.optional(about(title, yesNo), fallback);

const stableId = about(
  'Your own number for it. Leads store it, so keep it when you rename the item.',
  id,
);
const active = flag(
  'Whether new leads may use it. Deactivate what leads still use: it cannot be removed.',
  true,
);

const userSchema = v.object({
  id: stableId,
  name: about('The name of the user, who can own leads.', label),
  active: flag('Whether the user gets new leads. Deactivate a user who leaves.', true),
});

const stageSchema = v.object({
  id: about('Your own number for the stage, unique across pipelines. Leads store it: keep it.', id),
  name: about('The name of the stage.', label),
  slug: about('A short name for addresses and programs.', slug),
  order: about('The place of the stage in its pipeline: lower numbers come first.', order),
  meaning: about('Whether a lead in this stage is still open, won or lost.', oneOf(stageMeanings)),
  isDefault: flag('Whether new leads of the pipeline start here. One stage must.', false),
  active,
});

const pipelineSchema = v.object({
  id: stableId,
  name: about('The name of the pipeline.', label),
  order: about('The place of the pipeline: lower numbers come first.', order),
  isDefault: flag('Whether new leads start in this pipeline. One pipeline must.', false),
  stages: about('The steps of the pipeline.', v.array(stageSchema)),
});

const sourceSchema = v.object({
  id: stableId,
  name: about('The name that website forms send. Forms that send none get "Website".', label),
  active,
});

const optionSchema = v.object({
  value: about('What leads store. Keep it when you rename the option.', label),
  label: about('What forms show.', label),
});

const showWhenSchema = v.object({
  field: about('The key of another field.', fieldReference),
  equals: about('The field is shown if the other one has one of these values.', equals),
});

const fieldSchema = v.object({
  key: about('What programs call the field. Leads store it: keep it.', fieldKey),
  label: about('What forms show.', label),
  type: about('What the values of the field are.', oneOf(fieldTypes)),
  section: about('The heading of a form under which the field is shown.', label),
  storage: about(
    'Must be "column" for a built-in field and "custom" for your own.',
    oneOf(['column', 'custom']),
  ),
  options: v.optional(
    about(
      'The values of a select or multiselect field. Other types have none.',
      v.array(optionSchema),
    ),
  ),
  /** Without it, `name` and `phone` are required and the other fields are not. */
  requiredOnCreate: flag(
    'Whether a new lead must have it. Forms that do not send it are refused.',
    undefined,
  ),
  requiredOnEdit: flag('Whether an update may not empty it.', undefined),
  showWhen: v.optional(
    about('When forms show the field; null or omitted means always.', v.nullable(showWhenSchema)),
    null,
  ),
  active,
});

const assignmentRuleSchema = v.object({
  when: v.optional(
    about(
      'When the rule holds; omitted means always.',
      v.object({
        field: about('The key of a field, or "pipeline".', fieldReference),
        equals: about(
          'The rule holds if the lead has one of these: names or IDs of sources, users or pipelines, values or labels of options.',
          equals,
        ),
      }),
    ),
  ),
  users: about(
    'The users who get the leads in turn, by ID or name. Inactive users are skipped.',
    v.array(v.pipe(v.union([id, label]), v.description('the ID or name of a user'))),
  ),
});

const keySchema = v.object({
  label: about('The name of the key.', label),
  type: about('What the key is for.', oneOf(apiKeyTypes)),
  scopes: v.optional(about('What an application key may do.', v.array(oneOf(apiKeyScopes)))),
  createdBy: about('The ID of the user that the key acts for.', id),
  expiresAt: v.optional(
    about(
      "When the key expires. Without it, at the end of its type's lifetime.",
      v.pipe(
        text((text) => parseDateTime(text) !== undefined, { format: 'date-time' }),
        v.description('a date-time with an offset or Z, such as 2027-01-31T18:30:00+05:30'),
      ),
    ),
  ),
});

export const settingsFileSchema = v.object({
  $schema: v.optional(
    about(
      'For your editor; the service ignores it.',
      v.pipe(v.string(), v.description('the address of a JSON Schema')),
    ),
  ),
  id: about('Your own number for the organization.', id),
  version: v.optional(
    about(
      'The version of the settings, as organization show prints it. If it is older than the version in force, the file is refused.',
      v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.description('an integer from 1')),
    ),
  ),
  name: about('The name of the organization.', label),
  modules: about(
    'The products that the organization uses. Without "crm", every request is refused.',
    v.array(
      v.pipe(
        v.string(),
        v.regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/),
        v.maxLength(64),
        v.description('a module name, such as crm'),
      ),
    ),
  ),
  users: about('The people who work with the leads.', v.array(userSchema)),
  pipelines: about(
    'The ways that leads go. New leads start in the default stage of the default pipeline.',
    v.array(pipelineSchema),
  ),
  sources: about(
    'Where leads come from. Have one named "Website": captures without a source get it.',
    v.array(sourceSchema),
  ),
  fields: about(
    'What is asked of a lead, in form order. The built-in fields name, phone, email, source, assigned_to and lead_type may be omitted.',
    v.array(fieldSchema),
  ),
  assignmentRules: v.optional(
    about(
      'Who gets a new lead: the first rule that holds. Without a rule, all active users take turns.',
      v.array(assignmentRuleSchema),
    ),
    [],
  ),
  keys: v.optional(
    about(
      'API keys that npm start creates. organization apply refuses them: use key create.',
      v.array(keySchema),
    ),
    [],
  ),
});

export type SettingsFile = v.InferOutput<typeof settingsFileSchema>;
/** A file as people write it: optional properties can be absent. */
export type WrittenFile = v.InferInput<typeof settingsFileSchema>;
