import { scopesFor } from './api-key.ts';
import {
  type BuiltInFieldKey,
  builtInFieldKeys,
  builtIns,
  fieldKinds,
  isBuiltIn,
} from './field-kinds.ts';
import { idNamed, type NamedItem, optionFinder } from './named.ts';
import { nearestName } from './nearest-name.ts';
import type { SettingsFile } from './settings-schema.ts';
import { display, type SettingsIssue, type WellFormed } from './settings-shape.ts';

type File = WellFormed<SettingsFile>;
type ItemOf<List extends keyof File> =
  NonNullable<File[List]> extends readonly (infer Item)[] ? NonNullable<Item> : never;
type Field = ItemOf<'fields'>;
type Rule = ItemOf<'assignmentRules'>;
type Condition = NonNullable<Rule['when']>;

/** The well-formed part of a file, and where to report what does not fit together in it. */
interface Check {
  readonly file: File;
  readonly report: (path: string, message: string) => void;
}

/** The well-formed part of an item of a list, with its place. */
interface Entry<T> {
  readonly value: T;
  readonly path: string;
}

/** The items of a list that are well-formed in part, so that an issue in one place does not hide others. */
const entriesOf = <T>(list: readonly (T | undefined)[] | undefined, path: string): Entry<T>[] =>
  (list ?? []).flatMap((value, index) =>
    value === undefined ? [] : [{ value, path: `${path}[${index}]` }],
  );

/**
 * Checks references to other items, and items that must be unique, in the well-formed part of a file.
 * @returns the file, in which the conditions and rules have IDs and values instead of names, and every issue
 */
export function readReferences(file: File): { file: File; issues: readonly SettingsIssue[] } {
  const issues: SettingsIssue[] = [];
  const check: Check = { file, report: (path, message) => issues.push({ path, message }) };
  checkUnique(check);
  for (const key of entriesOf(file.keys, '$.keys')) checkKey(check, key);
  const fields = file.fields?.map(
    (field, index) => field && readField(check, field, `$.fields[${index}]`),
  );
  const assignmentRules = file.assignmentRules?.map(
    (rule, index) => rule && readRule(check, rule, `$.assignmentRules[${index}]`),
  );
  return { file: { ...file, fields, assignmentRules }, issues };
}

/** Reports each item that has the same property as an earlier one: names ignoring case, as they are found. */
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
    else if (is !== undefined) first.set(compared, path);
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
  for (const own of stages) {
    const starting = own.filter(({ value }) => value.isDefault && value.active);
    const onlyOne = 'only one active stage of a pipeline can be its default';
    checkRepeats(check, starting, 'isDefault', onlyOne);
  }
  checkRepeats(check, entriesOf(fields, '$.fields'), 'key', 'give each field its own key');
  const byLabel = 'npm start identifies keys by label: give each key its own';
  checkRepeats(check, entriesOf(keys, '$.keys'), 'label', byLabel);
}

function checkKey({ file, report }: Check, { value, path }: Entry<ItemOf<'keys'>>): void {
  const { type, scopes, createdBy } = value;
  // If the list of users is malformed, which has an issue of its own, every user counts as known.
  if (createdBy !== undefined && file.users && !file.users.some((user) => user?.id === createdBy))
    report(`${path}.createdBy`, unknownUser(createdBy));
  if (type === undefined) return;
  const requested = scopes?.flatMap((scope) => scope ?? []);
  const granted = scopesFor(type, requested);
  if (typeof granted === 'string') report(`${path}.scopes`, granted);
}

function readField(check: Check, field: Field, path: string): Field {
  const { key, storage, showWhen } = field;
  const report = (property: keyof Field, message: string): void =>
    check.report(`${path}.${property}`, message);
  if (key !== undefined && isBuiltIn(key)) checkBuiltIn(key, field, report);
  else if (storage === 'column') {
    const hint =
      key === undefined ? '' : `: ${display(key)} is not one of ${builtInFieldKeys.join(', ')}`;
    report('storage', `must be custom, because only built-in fields are stored as column${hint}`);
  }
  checkOptions(check, field, path);
  if (!showWhen) return field;
  if (showWhen.field === undefined || showWhen.field !== key)
    return { ...field, showWhen: readCondition(check, showWhen, `${path}.showWhen`) };
  check.report(`${path}.showWhen.field`, 'is the field itself: name another field');
  return field;
}

function checkBuiltIn(
  key: BuiltInFieldKey,
  field: Field,
  report: (property: keyof Field, message: string) => void,
): void {
  const { type, alwaysRequired } = builtIns[key];
  const isBuiltInField = `${key} is a built-in field`;
  if (field.type !== undefined && field.type !== type)
    report('type', `must be ${type}, because ${isBuiltInField}, but is ${display(field.type)}`);
  if (field.storage === 'custom')
    report('storage', `must be column, because ${isBuiltInField}, but is "custom"`);
  if (field.showWhen)
    report('showWhen', `must be null or omitted: ${isBuiltInField}, which forms always show`);
  if (field.active === false)
    report('active', `must be true or omitted: ${isBuiltInField} and cannot be deactivated`);
  for (const property of ['requiredOnCreate', 'requiredOnEdit'] as const) {
    if (alwaysRequired && field[property] === false)
      report(property, `must be true or omitted: ${key} is always required`);
  }
}

function checkOptions(check: Check, { key, type, options }: Field, path: string): void {
  if (type === undefined) return;
  const at = `${path}.options`;
  if (!fieldKinds[type].hasOptions) {
    if (options?.length)
      check.report(
        at,
        `must be omitted or empty: a ${type} field has no options, only select and multiselect fields do`,
      );
    return;
  }
  const fixed = key !== undefined && isBuiltIn(key) ? builtIns[key].options : [];
  if (options === undefined && fixed.length > 0) return;
  if (!options?.length) {
    const is = options ? 'empty' : 'missing';
    check.report(at, `is ${is}: a ${type} field must list at least one option`);
    return;
  }
  const ownValue = 'give each option of a field its own value';
  checkRepeats(check, entriesOf(options, at), 'value', ownValue);
  const values = new Set(options.map((option) => option?.value));
  const hasFixed = values.size === fixed.length && fixed.every(({ value }) => values.has(value));
  if (fixed.length > 0 && !hasFixed)
    check.report(
      at,
      `must have exactly the values ${fixed.map(({ value }) => value).join(' and ')}, because ${key} is a built-in field: only their labels can change`,
    );
}

/** Rules may name users, sources and pipelines by ID or by name, and options by value or by label, as an import does. */
function readRule(check: Check, { users, when }: Rule, path: string): Rule {
  return {
    ...(when && { when: readCondition(check, when, `${path}.when`, 'pipeline') }),
    users: readUsers(check, users, `${path}.users`),
  };
}

/** The users of a rule by ID. Reports those who are unknown or repeated. */
function readUsers({ file, report }: Check, users: Rule['users'], path: string): Rule['users'] {
  const items = namedItems(file.users);
  if (!items) return users;
  const seen = new Set<number>();
  return users?.map((user, index) => {
    if (user === undefined) return user;
    const at = `${path}[${index}]`;
    const id = idNamed(items, user);
    if (id === 'several') report(at, severalHave(user));
    else if (id === undefined)
      report(at, typeof user === 'string' ? unknownUserName(user) : unknownUser(user));
    else if (seen.has(id)) report(at, `is user ${id} again: list each user only once`);
    else seen.add(id);
    return typeof id === 'number' ? id : user;
  });
}

const unknownUser = (user: number): string =>
  `is user ${user}, who is not in $.users: use the ID of a user in $.users`;
const unknownUserName = (name: string): string =>
  `is ${display(name)}, who is not in $.users: use the ID or name of a user in $.users`;
const severalHave = (name: unknown): string =>
  `is ${display(name)}, which is the name of several: use an ID`;

/** Items by ID and name; undefined if the list is malformed, which has an issue of its own. */
const namedItems = (
  list: readonly (WellFormed<NamedItem> | undefined)[] | undefined,
): NamedItem[] | undefined =>
  list?.flatMap(({ id, name = '', active } = {}) =>
    id === undefined ? [] : [{ id, name, active: active !== false }],
  );

/** A condition with IDs and values instead of names. Reports a field or values that do not exist. @param besides a name that is no field's key */
function readCondition(
  check: Check,
  condition: Condition,
  path: string,
  besides?: 'pipeline',
): Condition {
  const { file, report } = check;
  const { field, equals } = condition;
  if (field === undefined) return condition;
  const custom = file.fields?.flatMap((one) => one?.key ?? []) ?? [];
  const names = [...new Set([...builtInFieldKeys, ...custom, ...(besides ? [besides] : [])])];
  if (!names.includes(field)) {
    const near = nearestName(field, names);
    const hint = near ? `did you mean ${near}?` : `use one of ${names.join(', ')}`;
    report(`${path}.field`, `is ${display(field)}, which is not a field: ${hint}`);
    return condition;
  }
  const choices = choicesOf(file, field);
  if (!choices) return condition;
  const read = equals?.map((text, index) => {
    if (text === undefined) return text;
    const found = choices.find(text);
    const at = `${path}.equals[${index}]`;
    if (found === 'several') report(at, severalHave(text));
    else if (found === undefined)
      report(at, `is ${display(text)}, but must be ${choices.description}`);
    return typeof found === 'object' ? found.value : text;
  });
  return { field, equals: read };
}

/** What a condition on a field, or on the pipeline, can compare with. */
interface Choices {
  readonly find: (text: string) => { readonly value: string } | 'several' | undefined;
  /** Completes the sentence "must be …". */
  readonly description: string;
}

/** Undefined for a field of any text, and for one whose choices are malformed or missing, which has an issue of its own. */
function choicesOf(file: File, fieldKey: string): Choices | undefined {
  const field = file.fields?.find((one) => one?.key === fieldKey);
  const builtIn = isBuiltIn(fieldKey) ? fieldKey : undefined;
  const type = field?.type ?? (builtIn && builtIns[builtIn].type);
  const list = fieldKey === 'pipeline' ? 'pipelines' : type && fieldKinds[type].references;
  if (list) return itemsOf(list, namedItems(file[list]));
  if (type === 'checkbox') {
    const both = [{ value: 'true' }, { value: 'false' }];
    const find = (text: string) => both.find(({ value }) => value === text);
    return { find, description: 'true or false' };
  }
  if (!type || !fieldKinds[type].hasOptions) return undefined;
  const listed = field?.options ?? (builtIn ? builtIns[builtIn].options : []);
  // With those that have no label, so that this is not an issue of every condition that names the option too.
  const options = listed.flatMap(({ value, label = '' } = {}) =>
    value === undefined ? [] : [{ value, label }],
  );
  if (options.length === 0) return undefined;
  const values = options.map(({ value }) => value).join(', ');
  return {
    find: optionFinder(options),
    description: `the value of an option of ${fieldKey}: ${values}, or its label`,
  };
}

const nouns = { users: 'user', sources: 'source', pipelines: 'pipeline' } as const;

const itemsOf = (list: keyof typeof nouns, items: NamedItem[] | undefined): Choices | undefined =>
  items && {
    find: (text) => {
      const id = idNamed(items, text);
      return typeof id === 'number' ? { value: String(id) } : id;
    },
    description: `the ID of a ${nouns[list]} in $.${list}, or its name`,
  };
