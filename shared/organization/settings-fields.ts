import { builtInOptions, builtInType, isAlwaysRequired } from './built-in-fields.ts';
import {
  type BuiltInFieldKey,
  builtInFieldKeys,
  type FieldType,
  fieldKinds,
  isBuiltIn,
} from './field-kinds.ts';
import { nearestName } from './nearest-name.ts';
import type { SettingsFile } from './settings-schema.ts';
import {
  display,
  type Entry,
  entriesOf,
  repeated,
  type SettingsIssue,
  type WellFormed,
} from './settings-shape.ts';

type FieldEntry = Entry<WellFormed<SettingsFile['fields'][number]>>;

export interface IdSet {
  has(id: number): boolean;
}

/** The items of a file that its values can refer to. */
export interface References {
  readonly fields: readonly FieldEntry[];
  readonly users: IdSet;
  readonly sources: IdSet;
  readonly pipelines: IdSet;
  /** Whether a place, or one in it, has an issue of its shape. */
  isMalformed(path: string): boolean;
}

/** The issues of the fields beyond their shape: repeated keys, fixed properties of built-in fields, options and conditions. */
export function fieldIssues(references: References): SettingsIssue[] {
  return [
    ...repeated(references.fields, 'key', 'give each field its own key'),
    ...references.fields.flatMap((field) => [
      ...(field.value.key !== undefined && isBuiltIn(field.value.key)
        ? builtInIssues(field.value.key, field)
        : customIssues(field)),
      ...optionIssues(references, field),
      ...conditionIssues(references, field),
    ]),
  ];
}

function builtInIssues(key: BuiltInFieldKey, { value, path }: FieldEntry): SettingsIssue[] {
  const issues: SettingsIssue[] = [];
  const fixed = (property: string, message: string) =>
    issues.push({ path: `${path}.${property}`, message });
  if (value.type !== undefined && value.type !== builtInType(key)) {
    fixed(
      'type',
      `must be ${builtInType(key)}, because ${key} is a built-in field, but is ${display(value.type)}`,
    );
  }
  if (value.storage === 'custom')
    fixed('storage', `must be column, because ${key} is a built-in field, but is "custom"`);
  if (value.showWhen)
    fixed(
      'showWhen',
      `must be null or omitted: ${key} is a built-in field, which forms always show`,
    );
  if (value.active === false)
    fixed(
      'active',
      `must be true or omitted: ${key} is a built-in field and cannot be deactivated`,
    );
  for (const property of ['requiredOnCreate', 'requiredOnEdit'] as const) {
    if (isAlwaysRequired(key) && value[property] === false)
      fixed(property, `must be true or omitted: ${key} is always required`);
  }
  return issues;
}

function customIssues({ value: { key, storage }, path }: FieldEntry): SettingsIssue[] {
  if (storage !== 'column') return [];
  const hint =
    key === undefined ? '' : `: ${display(key)} is not one of ${builtInFieldKeys.join(', ')}`;
  return [
    {
      path: `${path}.storage`,
      message: `must be custom, because only built-in fields are stored as column${hint}`,
    },
  ];
}

function optionIssues(
  { isMalformed }: References,
  { value: { key, type, options }, path }: FieldEntry,
): SettingsIssue[] {
  const at = `${path}.options`;
  if (type === undefined || (options === undefined && isMalformed(at))) return [];
  const issue = (message: string): SettingsIssue[] => [{ path: at, message }];
  if (!fieldKinds[type].hasOptions)
    return options?.length
      ? issue(
          `must be omitted or empty: a ${type} field has no options, only select and multiselect fields do`,
        )
      : [];
  const fixed =
    key !== undefined && isBuiltIn(key) ? builtInOptions(key).map(({ value }) => value) : [];
  if (options === undefined && fixed.length > 0) return [];
  if (!options?.length)
    return issue(
      `is ${options ? 'empty' : 'missing'}: a ${type} field must list at least one option`,
    );
  const values = options.flatMap((option) => option?.value ?? []);
  // An option without a value is an issue of its own.
  const hasFixed =
    values.length < options.length ||
    (fixed.every((value) => values.includes(value)) &&
      values.every((value) => fixed.includes(value)));
  return [
    ...repeated(entriesOf(options, at), 'value', 'give each option of a field its own value'),
    ...(fixed.length === 0 || hasFixed
      ? []
      : issue(
          `must have exactly the values ${fixed.join(' and ')}, because ${key} is a built-in field: only their labels can change`,
        )),
  ];
}

function conditionIssues(
  references: References,
  { value: { key, showWhen }, path }: FieldEntry,
): SettingsIssue[] {
  if (!showWhen) return [];
  if (showWhen.field === key)
    return [{ path: `${path}.showWhen.field`, message: 'is the field itself: name another field' }];
  return equalsIssues(references, showWhen, `${path}.showWhen`);
}

/** Reports a condition whose field or values do not exist. @param besides a name that is allowed in place of a field key */
export function equalsIssues(
  references: References,
  condition: WellFormed<{ field: string; equals: string[] }>,
  path: string,
  besides?: 'pipeline',
): SettingsIssue[] {
  const { field: fieldKey, equals } = condition;
  if (fieldKey === undefined) return [];
  const issuesOf = (allowed: AllowedValues | undefined): SettingsIssue[] =>
    entriesOf(equals, `${path}.equals`).flatMap(({ value, path: at }) =>
      !allowed || allowed.includes(value)
        ? []
        : [
            {
              path: at,
              message: `is ${display(value)}, but must be ${allowed.description}${besides === undefined ? '' : (allowed.alternative ?? '')}`,
            },
          ],
    );
  if (fieldKey === besides)
    return issuesOf(idsIn(references.pipelines, 'the ID of a pipeline in $.pipelines'));

  const field = references.fields.find(({ value }) => value.key === fieldKey);
  const type = field?.value.type ?? (isBuiltIn(fieldKey) ? builtInType(fieldKey) : undefined);
  if (!field && type === undefined)
    return [unknownField(references, fieldKey, `${path}.field`, besides)];
  return type === undefined ? [] : issuesOf(allowedValues[type]({ references, field, fieldKey }));
}

/** The values that a condition on a field can compare with. */
interface AllowedValues {
  includes(value: string): boolean;
  /** Completes the sentence "must be …". */
  readonly description: string;
  /** What an assignment rule may have instead, to follow the description. */
  readonly alternative?: string;
}

interface ConditionField {
  readonly references: References;
  /** Undefined for a built-in field that the file leaves out. */
  readonly field: FieldEntry | undefined;
  readonly fieldKey: string;
}

const idsIn = (known: IdSet, description: string): AllowedValues => ({
  includes: (value) => /^[1-9]\d{0,9}$/.test(value) && known.has(Number(value)),
  description,
  alternative: ', or its name',
});

const anyValue = (): undefined => undefined;

function optionsOf({ field, fieldKey }: ConditionField): AllowedValues | undefined {
  const options = optionValues(field, fieldKey);
  // Without options the field has its own issue, and no value could be right.
  if (options.length === 0) return undefined;
  return {
    includes: (value) => options.includes(value),
    description: `the value of an option of ${fieldKey}: ${options.join(', ')}`,
    alternative: ', or its label',
  };
}

/** What a condition on a field of each type can compare with; undefined for any text. */
const allowedValues: Readonly<
  Record<FieldType, (condition: ConditionField) => AllowedValues | undefined>
> = {
  text: anyValue,
  textarea: anyValue,
  number: anyValue,
  date: anyValue,
  phone: anyValue,
  email: anyValue,
  url: anyValue,
  select: optionsOf,
  multiselect: optionsOf,
  checkbox: () => ({
    includes: (value) => value === 'true' || value === 'false',
    description: 'true or false',
  }),
  lead_source: ({ references }) => idsIn(references.sources, 'the ID of a source in $.sources'),
  user: ({ references }) => idsIn(references.users, 'the ID of a user in $.users'),
};

/** With those of an option without a label, so that this is not an issue of every condition that names the option too. */
function optionValues(field: FieldEntry | undefined, fieldKey: string): string[] {
  const options = field?.value.options;
  if (options) return options.flatMap((option) => option?.value ?? []);
  return isBuiltIn(fieldKey) ? builtInOptions(fieldKey).map(({ value }) => value) : [];
}

function unknownField(
  { fields }: References,
  fieldKey: string,
  path: string,
  besides: string | undefined,
): SettingsIssue {
  const custom = fields.flatMap(({ value }) => value.key ?? []);
  const names = [...new Set([...builtInFieldKeys, ...custom, ...(besides ? [besides] : [])])];
  const near = nearestName(fieldKey, names);
  return {
    path,
    message: `is ${display(fieldKey)}, which is not a field: ${near ? `did you mean ${near}?` : `use one of ${names.join(', ')}`}`,
  };
}
