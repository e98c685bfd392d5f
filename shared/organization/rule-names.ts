import { builtInOptions, builtInType } from './built-in-fields.ts';
import { type FieldType, fieldKinds, isBuiltIn } from './field-kinds.ts';
import { idNamed, type NamedItem } from './id-named.ts';
import type { SettingsFile } from './settings-schema.ts';
import { display, entriesOf, type SettingsIssue, type WellFormed } from './settings-shape.ts';

type File = WellFormed<SettingsFile>;
type Rule = NonNullable<NonNullable<File['assignmentRules']>[number]>;
type Field = NonNullable<NonNullable<File['fields']>[number]>;

/**
 * Replaces the names in the assignment rules of a settings file. Rules may name users, sources and pipelines by ID or by name, and options
 * by value or by label, as an import does. Settings hold only IDs and values, so that a name can change.
 * @returns the file, in which unknown names stay, and the issues of names that several items have
 */
export function resolveRuleNames(file: File): { file: File; issues: readonly SettingsIssue[] } {
  const issues: SettingsIssue[] = [];
  const rules = new Map(
    entriesOf(file.assignmentRules, '$.assignmentRules').map(({ value, path }) => [
      value,
      resolvedRule(file, value, path, issues),
    ]),
  );
  const assignmentRules = file.assignmentRules?.map((rule) => rule && rules.get(rule));
  return { file: { ...file, assignmentRules }, issues };
}

function resolvedRule(file: File, rule: Rule, path: string, issues: SettingsIssue[]): Rule {
  const { users, when } = rule;
  const byName = resolver(namedItems(file.users), `${path}.users`, issues);
  const { field, equals } = when ?? {};
  const byValue = field && valueResolver(file, field, `${path}.when.equals`, issues);
  return {
    ...rule,
    users: users?.map((user, at) => byName(user, at)),
    ...(byValue && { when: { field, equals: equals?.map(byValue) } }),
  };
}

type Resolve<To> = (value: string | number | undefined, index: number) => To | undefined;

/** Reads a name as the ID of one of the items. Reports a name that several have, and reads it as the first of them. */
const resolver =
  (items: readonly NamedItem[], path: string, issues: SettingsIssue[]): Resolve<string | number> =>
  (value, index) => {
    if (typeof value !== 'string') return value;
    const id = idNamed(items, value);
    if (id !== 'several') return id ?? value;
    issues.push({
      path: `${path}[${index}]`,
      message: `is ${display(value)}, which is the name of several: use an ID`,
    });
    const folded = value.trim().toLowerCase();
    return items.find(({ name }) => name.trim().toLowerCase() === folded)?.id;
  };

/** Reads the values that a rule compares a field, or the pipeline, with. */
function valueResolver(
  file: File,
  fieldKey: string,
  path: string,
  issues: SettingsIssue[],
): Resolve<string> {
  const field = entriesOf(file.fields, '').find(({ value }) => value.key === fieldKey)?.value;
  const type = typeOf(field, fieldKey);
  const list = fieldKey === 'pipeline' ? 'pipelines' : type && fieldKinds[type].references;
  if (list) {
    const resolve = resolver(namedItems(file[list]), path, issues);
    return (value, index) => (value === undefined ? value : String(resolve(value, index)));
  }
  const options = type && fieldKinds[type].hasOptions ? optionsOf(field, fieldKey) : [];
  return (value) =>
    value === undefined ? value : (optionNamed(options, String(value)) ?? String(value));
}

const typeOf = (field: Field | undefined, fieldKey: string): FieldType | undefined =>
  field ? field.type : isBuiltIn(fieldKey) ? builtInType(fieldKey) : undefined;

type NamedPart = WellFormed<{ id: number; name: string; active?: boolean }>;
const namedItems = (list: readonly (NamedPart | undefined)[] = []): NamedItem[] =>
  list.flatMap(({ id, name, active } = {}) =>
    id !== undefined && name !== undefined ? [{ id, name, active: active !== false }] : [],
  );

interface Option {
  readonly value: string;
  readonly label: string;
}

function optionsOf(field: Field | undefined, fieldKey: string): Option[] {
  if (field?.options === undefined) return isBuiltIn(fieldKey) ? builtInOptions(fieldKey) : [];
  return field.options.flatMap(({ value, label } = {}) =>
    value !== undefined && label !== undefined ? [{ value, label }] : [],
  );
}

/** The value of an option that is named by its value, else by its label, else by either, ignoring case. */
function optionNamed(options: readonly Option[], text: string): string | undefined {
  const folded = text.trim().toLowerCase();
  const tests: ((option: Option) => boolean)[] = [
    ({ value }) => value === text,
    ({ label }) => label === text,
    ({ value, label }) => value.toLowerCase() === folded || label.toLowerCase() === folded,
  ];
  return tests.map((test) => options.find(test)).find((option) => option)?.value;
}
