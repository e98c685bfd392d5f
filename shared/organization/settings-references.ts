import { keysOf } from '../base/maps.ts';
import { scopesFor } from './api-key.ts';
import { alwaysRequired, type BuiltIn, builtInFieldKeys, builtInNamed } from './built-in-fields.ts';
import { fieldKinds } from './field-kinds.ts';
import { idNamed, optionFinder } from './named.ts';
import { nearestName } from './nearest-name.ts';
import type { SettingsFile } from './settings-schema.ts';
import { display, type SettingsIssue } from './settings-shape.ts';

type Field = SettingsFile['fields'][number];
type Rule = SettingsFile['assignmentRules'][number];
type Condition = NonNullable<Rule['when']>;

/** A file whose shape is valid, and the function that reports its issues. */
interface Check {
  readonly file: SettingsFile;
  readonly report: (path: string, message: string) => void;
}

/** An item of a list, with its path. */
interface Entry<T> {
  readonly value: T;
  readonly path: string;
}

const entriesOf = <T>(list: readonly T[], path: string): Entry<T>[] =>
  list.map((value, index) => ({ value, path: `${path}[${index}]` }));

/**
 * Checks references to other items, and items that must be unique, in a file whose shape is valid.
 * @returns the file, in which the conditions and rules have IDs and values instead of names, and every issue
 */
export function readReferences(file: SettingsFile): {
  file: SettingsFile;
  issues: readonly SettingsIssue[];
} {
  const issues: SettingsIssue[] = [];
  const check: Check = { file, report: (path, message) => issues.push({ path, message }) };
  checkUnique(check);
  for (const key of entriesOf(file.keys, '$.keys')) checkKey(check, key);
  const fields = entriesOf(file.fields, '$.fields').map((field) => readField(check, field));
  const rules = entriesOf(file.assignmentRules, '$.assignmentRules');
  const assignmentRules = rules.map((rule) => readRule(check, rule));
  return { file: { ...file, fields, assignmentRules }, issues };
}

/**
 * Reports each item whose `property` equals that of an earlier item; names ignore case. `lookalikes.ts` reports names that merely look
 * alike.
 */
function checkRepeats<T>(
  { report }: Check,
  entries: readonly Entry<T>[],
  property: keyof T & string,
  rule: string,
): void {
  const first = new Map<unknown, string>();
  for (const { value, path } of entries) {
    const is = value[property];
    const compared = property === 'name' ? String(is).toLowerCase() : is;
    const earlier = first.get(compared);
    if (earlier !== undefined)
      report(`${path}.${property}`, `is ${display(is)}, as in ${earlier}: ${rule}`);
    else first.set(compared, path);
  }
}

function checkUnique(check: Check): void {
  const { users, sources, pipelines, fields, keys } = check.file;
  checkRepeats(check, entriesOf(users, '$.users'), 'id', 'give each user their own ID');
  const ofSources = entriesOf(sources, '$.sources');
  const found = ofSources.filter(({ value }) => value.active);
  const byName = 'active sources are found by name, ignoring case: give each its own name';
  checkRepeats(check, ofSources, 'id', 'give each source its own ID');
  checkRepeats(check, found, 'name', byName);
  const ofPipelines = entriesOf(pipelines, '$.pipelines');
  const defaults = ofPipelines.filter(({ value }) => value.isDefault);
  checkRepeats(check, ofPipelines, 'id', 'give each pipeline its own ID');
  checkRepeats(check, defaults, 'isDefault', 'only one pipeline can be the default');
  const stages = ofPipelines.map(({ value, path }) => entriesOf(value.stages, `${path}.stages`));
  checkRepeats(check, stages.flat(), 'id', 'give each stage its own ID, across pipelines');
  for (const ofPipeline of stages) {
    const starting = ofPipeline.filter(({ value }) => value.isDefault && value.active);
    const onlyOne = 'only one active stage of a pipeline can be its default';
    checkRepeats(check, starting, 'isDefault', onlyOne);
  }
  checkRepeats(check, entriesOf(fields, '$.fields'), 'key', 'give each field its own key');
  const byLabel = 'npm start identifies keys by label: give each key its own';
  checkRepeats(check, entriesOf(keys, '$.keys'), 'label', byLabel);
}

function checkKey(
  { file, report }: Check,
  { value, path }: Entry<SettingsFile['keys'][number]>,
): void {
  const { type, scopes, createdBy } = value;
  if (!file.users.some(({ id }) => id === createdBy))
    report(`${path}.createdBy`, `is ${createdBy}, but must be the ID of a user in $.users`);
  const granted = scopesFor(type, scopes);
  if (typeof granted === 'string') report(`${path}.scopes`, granted);
}

function readField(check: Check, { value: field, path }: Entry<Field>): Field {
  const { key, storage, showWhen } = field;
  const report = (property: keyof Field, message: string): void =>
    check.report(`${path}.${property}`, message);
  const builtIn = builtInNamed(key);
  if (builtIn) checkBuiltIn(builtIn, field, report);
  else if (storage === 'column')
    report(
      'storage',
      `must be custom, because only built-in fields are stored as column: ${display(key)} is not one of ${builtInFieldKeys.join(', ')}`,
    );
  checkOptions(check, field, path);
  if (!showWhen) return field;
  if (showWhen.field !== key)
    return { ...field, showWhen: readCondition(check, showWhen, `${path}.showWhen`) };
  check.report(`${path}.showWhen.field`, 'is the field itself: name another field');
  return field;
}

/** Reports properties of a built-in field that a file must not change. Forms always show built-in fields. */
function checkBuiltIn(
  { type }: BuiltIn,
  field: Field,
  report: (property: keyof Field, message: string) => void,
): void {
  const always = { requiredOnCreate: true, requiredOnEdit: true };
  const fixed = {
    type,
    storage: 'column',
    showWhen: null,
    active: true,
    ...(alwaysRequired.includes(field.key) && always),
  };
  for (const property of keysOf(fixed)) {
    const [is, only] = [field[property], fixed[property]];
    if (is === undefined || only === undefined || is === only) continue;
    const rule = `must be ${only}, because ${field.key} is a built-in field`;
    report(property, `${rule}, but is ${display(is)}`);
  }
}

function checkOptions(check: Check, { key, type, options }: Field, path: string): void {
  const at = `${path}.options`;
  if (!fieldKinds[type].hasOptions) {
    if (options?.length)
      check.report(
        at,
        `must be omitted or empty: a ${type} field has no options, only select and multiselect fields do`,
      );
    return;
  }
  const { options: fixed = [] } = builtInNamed(key) ?? {};
  if (options === undefined && fixed.length > 0) return;
  if (!options?.length) {
    const is = options ? 'empty' : 'missing';
    check.report(at, `is ${is}: a ${type} field must list at least one option`);
    return;
  }
  const ownValue = 'give each option of a field its own value';
  checkRepeats(check, entriesOf(options, at), 'value', ownValue);
  const values = new Set(options.map(({ value }) => value));
  const hasFixed = values.size === fixed.length && fixed.every(({ value }) => values.has(value));
  if (fixed.length > 0 && !hasFixed)
    check.report(
      at,
      `must have exactly the values ${fixed.map(({ value }) => value).join(' and ')}, because ${key} is a built-in field: only their labels can change`,
    );
}

/** Rules may name users, sources and pipelines by ID or by name, and options by value or by label, as an import does. */
function readRule(check: Check, { value: { users, when }, path }: Entry<Rule>): Rule {
  const condition = when && readCondition(check, when, `${path}.when`, 'pipeline');
  const ids = readNames(check, users, `${path}.users`, itemsOf('users', check.file));
  for (const [index, id] of ids.entries())
    if (id !== undefined && ids.indexOf(id) !== index)
      check.report(`${path}.users[${index}]`, `is user ${id} again: list each user only once`);
  return { ...(condition && { when: condition }), users: known(ids) };
}

/**
 * A condition with IDs and values instead of names. Reports a field or values that do not exist.
 * @param besides a name that is valid although it is not a field's key
 */
function readCondition(
  check: Check,
  condition: Condition,
  path: string,
  besides?: 'pipeline',
): Condition {
  const { file, report } = check;
  const { field, equals } = condition;
  const custom = file.fields.map(({ key }) => key);
  const names = [...new Set([...builtInFieldKeys, ...custom, ...(besides ? [besides] : [])])];
  if (!names.includes(field)) {
    const near = nearestName(field, names);
    const hint = near ? `did you mean ${near}?` : `use one of ${names.join(', ')}`;
    report(`${path}.field`, `is ${display(field)}, which is not a field: ${hint}`);
    return condition;
  }
  return {
    field,
    equals: known(readNames(check, equals, `${path}.equals`, choicesOf(file, field))),
  };
}

const known = (names: readonly (string | undefined)[]): string[] =>
  names.filter((name) => name !== undefined);

/** A list with IDs and values instead of names. Reports each unknown or ambiguous name, and replaces it with undefined. */
function readNames(
  { report }: Check,
  names: readonly (string | number)[],
  path: string,
  choices: Choices | undefined,
): readonly (string | undefined)[] {
  return names.map((name, index) => {
    if (!choices) return String(name);
    const found = choices.find(String(name));
    if (typeof found === 'object') return found.value;
    const issue = found
      ? 'which is the name of several items: use an ID'
      : `but must be ${choices.description}`;
    report(`${path}[${index}]`, `is ${display(name)}, ${issue}`);
    return undefined;
  });
}

interface Choices {
  readonly find: (text: string) => { readonly value: string } | 'several' | undefined;
  /** Completes the sentence "must be …". */
  readonly description: string;
}

/** The valid values of a field. Undefined if it accepts any text, or if its options are missing, which is reported separately. */
function choicesOf(file: SettingsFile, fieldKey: string): Choices | undefined {
  const field = file.fields.find(({ key }) => key === fieldKey);
  const builtIn = builtInNamed(fieldKey);
  const type = field?.type ?? builtIn?.type;
  if (fieldKey === 'pipeline') return itemsOf('pipelines', file);
  if (!type) return undefined;
  const { references, fixedValues, hasOptions } = fieldKinds[type];
  if (references) return itemsOf(references, file);
  if (fixedValues) {
    const find = (text: string) => (fixedValues.includes(text) ? { value: text } : undefined);
    return { find, description: fixedValues.join(' or ') };
  }
  const options = hasOptions ? (field?.options ?? builtIn?.options ?? []) : [];
  if (options.length === 0) return undefined;
  const values = options.map(({ value }) => value).join(', ');
  return {
    find: optionFinder(options),
    description: `the value of an option of ${fieldKey}: ${values}, or its label`,
  };
}

const nouns = { users: 'user', sources: 'source', pipelines: 'pipeline' } as const;

function itemsOf(list: keyof typeof nouns, { [list]: items }: SettingsFile): Choices {
  return {
    find: (text) => {
      const id = idNamed(items, text);
      return typeof id === 'number' ? { value: String(id) } : id;
    },
    description: `the ID of a ${nouns[list]} in $.${list}, or its name`,
  };
}
