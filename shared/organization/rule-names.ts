import { isPlainObject } from '../json.ts';
import { builtInOptions, builtInType } from './built-in-fields.ts';
import { type FieldType, fieldKinds, fieldTypes, isBuiltIn } from './field-kinds.ts';
import { idNamed, type NamedItem } from './id-named.ts';
import { display, type SettingsIssue } from './settings-shape.ts';

/**
 * Assignment rules may name users, sources and pipelines by ID or by name, and options by value or by label, as an import does. Settings
 * hold only IDs and values, so that a name can change.
 */

interface Resolved {
  /** The file with every name that is known replaced. Others stay, and are reported where references are checked. */
  readonly file: unknown;
  /** Names that several items have. */
  readonly issues: readonly SettingsIssue[];
}

/** Replaces the names in the assignment rules of a settings file, whatever else is wrong with the file. */
export function resolveRuleNames(file: unknown): Resolved {
  if (!isPlainObject(file) || !Array.isArray(file.assignmentRules)) return { file, issues: [] };
  const issues: SettingsIssue[] = [];
  const assignmentRules = file.assignmentRules.map((rule: unknown, index) =>
    isPlainObject(rule) ? resolveRule(file, rule, `$.assignmentRules[${index}]`, issues) : rule,
  );
  return { file: { ...file, assignmentRules }, issues };
}

type Json = Readonly<Record<string, unknown>>;

function resolveRule(file: Json, rule: Json, path: string, issues: SettingsIssue[]): Json {
  const users = namedItems(file.users);
  const resolved = Array.isArray(rule.users)
    ? { users: rule.users.map(resolver(users, `${path}.users`, issues)) }
    : {};
  const { when } = rule;
  if (!isPlainObject(when) || !Array.isArray(when.equals) || typeof when.field !== 'string')
    return { ...rule, ...resolved };
  const equals = when.equals.map(valueResolver(file, when.field, `${path}.when.equals`, issues));
  return { ...rule, when: { ...when, equals }, ...resolved };
}

type Resolve = (value: unknown, index: number) => unknown;

/** Reads a name as the ID of one of the items. Reports a name that several have, and reads it as the first of them. */
const resolver =
  (items: readonly NamedItem[], path: string, issues: SettingsIssue[]): Resolve =>
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
  file: Json,
  fieldKey: string,
  path: string,
  issues: SettingsIssue[],
): Resolve {
  const field = rawField(file, fieldKey);
  const type = typeOf(field, fieldKey);
  const list = fieldKey === 'pipeline' ? 'pipelines' : type && fieldKinds[type].references;
  if (list) {
    const resolve = resolver(namedItems(file[list]), path, issues);
    return (value, index) => {
      const id = resolve(value, index);
      return typeof value === 'string' && typeof id === 'number' ? String(id) : id;
    };
  }
  if (!type || !fieldKinds[type].hasOptions) return (value) => value;
  const options = optionsOf(field, fieldKey);
  return (value) => (typeof value === 'string' ? (optionNamed(options, value) ?? value) : value);
}

const rawField = ({ fields }: Json, fieldKey: string): Json | undefined =>
  Array.isArray(fields)
    ? fields.find((field): field is Json => isPlainObject(field) && field.key === fieldKey)
    : undefined;

function typeOf(field: Json | undefined, fieldKey: string): FieldType | undefined {
  if (field) return fieldTypes.find((type) => type === field.type);
  return isBuiltIn(fieldKey) ? builtInType(fieldKey) : undefined;
}

function namedItems(list: unknown): NamedItem[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((item: unknown) => {
    if (!isPlainObject(item)) return [];
    const { id, name, active } = item;
    return typeof id === 'number' && typeof name === 'string'
      ? [{ id, name, active: active !== false }]
      : [];
  });
}

interface Option {
  readonly value: string;
  readonly label: string;
}

function optionsOf(field: Json | undefined, fieldKey: string): Option[] {
  if (field?.options === undefined) return isBuiltIn(fieldKey) ? builtInOptions(fieldKey) : [];
  if (!Array.isArray(field.options)) return [];
  return field.options.flatMap((option: unknown) =>
    isPlainObject(option) && typeof option.value === 'string' && typeof option.label === 'string'
      ? [{ value: option.value, label: option.label }]
      : [],
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
