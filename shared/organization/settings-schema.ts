import * as v from 'valibot';
import { parseDateTime } from '../date-time.ts';
import { isStorableText } from '../json.ts';
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

const codePoints = (text: string): number => [...text].length;

/**
 * A check by a function, with what JSON Schema can say of it (`organization schema`). Where JSON Schema cannot say it all, it accepts more.
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

/*
 * The titles say what a property is for. `organization schema` prints them, so that an editor shows them: JSON has no comments.
 */

const stableId = v.pipe(
  id,
  v.title('Your own number for it. Leads store it, so keep it when you rename the item.'),
);
const active = v.optional(
  v.pipe(
    yesNo,
    v.title('Whether new leads may use it. Deactivate what leads still use: it cannot be removed.'),
  ),
  true,
);

export const userSchema = v.object({
  id: stableId,
  name: v.pipe(label, v.title('The name of the user, who can own leads.')),
  active: v.optional(
    v.pipe(yesNo, v.title('Whether the user gets new leads. Deactivate a user who leaves.')),
    true,
  ),
});

export const stageSchema = v.object({
  id: v.pipe(
    id,
    v.title('Your own number for the stage, unique across pipelines. Leads store it: keep it.'),
  ),
  name: v.pipe(label, v.title('The name of the stage.')),
  slug: v.pipe(slug, v.title('A short name for addresses and programs.')),
  order: v.pipe(
    order,
    v.title('The place of the stage in its pipeline: lower numbers come first.'),
  ),
  meaning: v.pipe(
    oneOf(stageMeanings),
    v.title('Whether a lead in this stage is still open, won or lost.'),
  ),
  isDefault: v.optional(
    v.pipe(yesNo, v.title('Whether new leads of the pipeline start here. One stage must.')),
    false,
  ),
  active,
});

export const pipelineSchema = v.object({
  id: stableId,
  name: v.pipe(label, v.title('The name of the pipeline.')),
  order: v.pipe(order, v.title('The place of the pipeline: lower numbers come first.')),
  isDefault: v.optional(
    v.pipe(yesNo, v.title('Whether new leads start in this pipeline. One pipeline must.')),
    false,
  ),
  stages: v.pipe(v.array(stageSchema), v.title('The steps of the pipeline.')),
});

export const sourceSchema = v.object({
  id: stableId,
  name: v.pipe(
    label,
    v.title('The name that website forms send. Forms that send none get "Website".'),
  ),
  active,
});

export const optionSchema = v.object({
  value: v.pipe(label, v.title('What leads store. Keep it when you rename the option.')),
  label: v.pipe(label, v.title('What forms show.')),
});

export const showWhenSchema = v.object({
  field: v.pipe(fieldReference, v.title('The key of another field.')),
  equals: v.pipe(equals, v.title('The field is shown if the other one has one of these values.')),
});

export const fieldSchema = v.object({
  key: v.pipe(fieldKey, v.title('What programs call the field. Leads store it: keep it.')),
  label: v.pipe(label, v.title('What forms show.')),
  type: v.pipe(oneOf(fieldTypes), v.title('What the values of the field are.')),
  section: v.pipe(label, v.title('The heading of a form under which the field is shown.')),
  storage: v.pipe(
    oneOf(['column', 'custom']),
    v.title('Must be "column" for a built-in field and "custom" for your own.'),
  ),
  options: v.optional(
    v.pipe(
      v.array(optionSchema),
      v.title('The values of a select or multiselect field. Other types have none.'),
    ),
  ),
  /** Without it, `name` and `phone` are required and the other fields are not. */
  requiredOnCreate: v.optional(
    v.pipe(
      yesNo,
      v.title('Whether a new lead must have it. Forms that do not send it are refused.'),
    ),
  ),
  requiredOnEdit: v.optional(v.pipe(yesNo, v.title('Whether an update may not empty it.'))),
  showWhen: v.optional(
    v.pipe(
      v.nullable(showWhenSchema),
      v.title('When forms show the field; null or omitted means always.'),
    ),
    null,
  ),
  active,
});

export const assignmentRuleSchema = v.object({
  when: v.optional(
    v.pipe(
      v.object({
        field: v.pipe(fieldReference, v.title('The key of a field, or "pipeline".')),
        equals: v.pipe(
          equals,
          v.title(
            'The rule holds if the lead has one of these: names or IDs of sources, users or pipelines, values or labels of options.',
          ),
        ),
      }),
      v.title('When the rule holds; omitted means always.'),
    ),
  ),
  users: v.pipe(
    v.array(v.pipe(v.union([id, label]), v.description('the ID or name of a user'))),
    v.title('The users who get the leads in turn, by ID or name. Inactive users are skipped.'),
  ),
});

export const keySchema = v.object({
  label: v.pipe(label, v.title('The name of the key.')),
  type: v.pipe(oneOf(apiKeyTypes), v.title('What the key is for.')),
  scopes: v.optional(
    v.pipe(v.array(oneOf(apiKeyScopes)), v.title('What an application key may do.')),
  ),
  createdBy: v.pipe(id, v.title('The ID of the user that the key acts for.')),
  expiresAt: v.optional(
    v.pipe(
      text((text) => parseDateTime(text) !== undefined, { format: 'date-time' }),
      v.description('a date-time with an offset or Z, such as 2027-01-31T18:30:00+05:30'),
      v.title("When the key expires. Without it, at the end of its type's lifetime."),
    ),
  ),
});

export const settingsFileSchema = v.object({
  $schema: v.optional(
    v.pipe(
      v.string(),
      v.description('the address of a JSON Schema'),
      v.title('For your editor; the service ignores it.'),
    ),
  ),
  id: v.pipe(id, v.title('Your own number for the organization.')),
  version: v.optional(
    v.pipe(
      v.number(),
      v.safeInteger(),
      v.minValue(1),
      v.description('an integer from 1'),
      v.title(
        'The version of the settings, as organization show prints it. If it is older than the version in force, the file is refused.',
      ),
    ),
  ),
  name: v.pipe(label, v.title('The name of the organization.')),
  modules: v.pipe(
    v.array(
      v.pipe(
        v.string(),
        v.regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/),
        v.maxLength(64),
        v.description('a module name, such as crm'),
      ),
    ),
    v.title('The products that the organization uses. Without "crm", every request is refused.'),
  ),
  users: v.pipe(v.array(userSchema), v.title('The people who work with the leads.')),
  pipelines: v.pipe(
    v.array(pipelineSchema),
    v.title(
      'The ways that leads go. New leads start in the default stage of the default pipeline.',
    ),
  ),
  sources: v.pipe(
    v.array(sourceSchema),
    v.title('Where leads come from. Have one named "Website": captures without a source get it.'),
  ),
  fields: v.pipe(
    v.array(fieldSchema),
    v.title(
      'What is asked of a lead, in form order. The built-in fields name, phone, email, source, assigned_to and lead_type may be omitted.',
    ),
  ),
  assignmentRules: v.optional(
    v.pipe(
      v.array(assignmentRuleSchema),
      v.title(
        'Who gets a new lead: the first rule that holds. Without a rule, all active users take turns.',
      ),
    ),
    [],
  ),
  keys: v.optional(
    v.pipe(
      v.array(keySchema),
      v.title('API keys that npm start creates. organization apply refuses them: use key create.'),
    ),
    [],
  ),
});

export type SettingsFile = v.InferOutput<typeof settingsFileSchema>;
