import { isPlainObject } from '../../../../shared/base/json.ts';
import { comparableName } from '../../../../shared/base/text.ts';
import { fieldTypes } from '../../../../shared/organization/field-kinds.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { toSettingsFile } from '../../../../shared/organization/settings.ts';
import { stageMeanings } from '../../../../shared/organization/settings-schema.ts';
import type { Form } from '../desk.ts';

/** How an input shows a value: a text, one value a line, a tick, or a choice. */
type Kind = 'text' | 'lines' | 'options' | 'users' | 'tick' | readonly string[];

export interface Column {
  /** The path of the value in its item. */
  readonly name: string;
  readonly label: string;
  readonly kind: Kind;
  /** Leads store the value, so it can be chosen only for a new item. */
  readonly isForNew?: true;
}

export interface List {
  readonly name: string;
  readonly title: string;
  /** The noun for one item. */
  readonly noun: string;
  readonly columns: readonly Column[];
  /** Nothing refers to these items, so they can be removed. Others are deactivated. */
  readonly isRemovable?: true;
}

const column = (name: string, label: string, kind: Kind = 'text'): Column => ({
  name,
  label,
  kind,
});
const active = column('active', 'Active', 'tick');
const ifShown = (path: string): Column[] => [
  column(`${path}.field`, 'Only if the field'),
  column(`${path}.equals`, 'has one of', 'lines'),
];

export const stageList: List = {
  name: 'stages',
  title: 'Stages',
  noun: 'stage',
  columns: [
    column('name', 'Name'),
    column('slug', 'Short name'),
    column('meaning', 'Meaning', stageMeanings),
    column('isDefault', 'New leads start here', 'tick'),
    active,
  ],
};

/** The lists that the form edits, in order. */
export const lists: readonly List[] = [
  { name: 'users', title: 'People', noun: 'person', columns: [column('name', 'Name'), active] },
  {
    name: 'pipelines',
    title: 'Pipelines and stages',
    noun: 'pipeline',
    columns: [column('name', 'Name'), column('isDefault', 'New leads start here', 'tick')],
  },
  { name: 'sources', title: 'Sources', noun: 'source', columns: [column('name', 'Name'), active] },
  {
    name: 'fields',
    title: 'Fields',
    noun: 'field',
    columns: [
      column('label', 'Label'),
      { ...column('key', 'Key'), isForNew: true },
      { ...column('type', 'Type', fieldTypes), isForNew: true },
      column('section', 'Section'),
      column('options', 'Options, one a line: value = label', 'options'),
      column('requiredOnCreate', 'Required of new leads', 'tick'),
      column('requiredOnEdit', 'Cannot be emptied', 'tick'),
      active,
      ...ifShown('showWhen'),
    ],
  },
  {
    name: 'assignmentRules',
    title: 'Who gets new leads',
    noun: 'rule',
    isRemovable: true,
    columns: [...ifShown('when'), column('users', 'People, who take turns', 'users')],
  },
];

type Item = Record<string, unknown>;

/** A row of the form. */
export interface Row {
  /** The item as in the settings file, without nested rows. */
  readonly item: Item;
  /** Whether the item is not applied yet. */
  readonly isNew: boolean;
  /** The stages of a pipeline. */
  readonly stages: readonly Row[];
}

/** Settings while they are edited. The form carries them: nothing is stored until they are applied. */
export interface Draft {
  /** Everything without a row, such as the organization's name. */
  readonly rest: Item;
  readonly rows: Readonly<Record<string, readonly Row[]>>;
  /** The version that the draft changes. */
  readonly version: number;
}

const itemsIn = (value: unknown): Item[] =>
  Array.isArray(value) ? value.filter(isPlainObject) : [];
const inOrder = (items: readonly Item[]): Item[] =>
  items.toSorted((one, other) => Number(one.order ?? 0) - Number(other.order ?? 0));

const rowOf = ({ stages, ...item }: Item): Row => ({
  item,
  isNew: false,
  stages: inOrder(itemsIn(stages)).map(rowOf),
});

export function draftOf(settings: Settings, version: number): Draft {
  const file: Item = { ...toSettingsFile(settings) };
  const rows = lists.map(({ name }) => [name, inOrder(itemsIn(file[name])).map(rowOf)] as const);
  const rest = Object.entries(file).filter(([name]) => !lists.some((list) => list.name === name));
  return { rest: Object.fromEntries(rest), rows: Object.fromEntries(rows), version };
}

/** The value at a path of an item; undefined if there is none. */
const valueAt = (item: Item, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (isPlainObject(value) ? value[name] : undefined), item);

/** An item with another value at a path of at most two names. */
function withValue(item: Item, path: string, value: unknown): Item {
  const [name = '', inner] = path.split('.');
  if (inner === undefined) return { ...item, [name]: value };
  const outer = isPlainObject(item[name]) ? item[name] : {};
  return { ...item, [name]: { ...outer, [inner]: value } };
}

/** The users by ID, for rules that name them. */
export type UserNames = ReadonlyMap<unknown, string>;

/** A value as its input shows it. */
export function shownAs({ kind, name }: Column, item: Item, users: UserNames): string {
  const value = valueAt(item, name);
  if (kind === 'tick') return value === true ? 'yes' : '';
  // A browser drops line breaks in a single-line input.
  if (!Array.isArray(value)) return String(value ?? '').replaceAll(/[\r\n]/g, '');
  const lines = value.map((one: unknown) => {
    if (kind === 'users') return users.get(one) ?? String(one);
    if (!isPlainObject(one)) return String(one);
    return one.value === one.label ? String(one.label) : `${one.value} = ${one.label}`;
  });
  return lines.join('\n');
}

function readAs(kind: Kind, text: string): unknown {
  if (kind === 'tick') return text !== '';
  if (kind === 'text' || typeof kind === 'object') return text.trim();
  const lines = text.split('\n').flatMap((line) => line.trim() || []);
  if (kind === 'users') return lines.map((line) => (/^\d+$/.test(line) ? Number(line) : line));
  if (kind === 'lines') return lines;
  return lines.map((line) => {
    const [value = '', label = value] = line.split(/ = (.*)/s);
    return { value, label };
  });
}

/** The draft that a form sends. A value whose input was not edited stays unchanged, even if the input cannot show all of it. */
export function draftIn(form: Form, id: number): Draft {
  const rest: Item = { ...JSON.parse(form.text('rest')), id };
  const name = form.text('name').trim();
  const rows = lists.map((list) => [list.name, rowsIn(form, list, list.name)] as const);
  return {
    rest: { ...rest, name },
    rows: Object.fromEntries(rows),
    version: Number(form.text('version')),
  };
}

function rowsIn(form: Form, list: List, path: string): Row[] {
  const rows: Row[] = [];
  for (let at = 0; form.has(`${path}.${at}`); at += 1) {
    const own = `${path}.${at}`;
    let item: Item = JSON.parse(form.text(own));
    for (const one of list.columns) {
      const input = `${own}.${one.name}`;
      const isShown = form.has(`${input}:shown`);
      if (!isShown || form.text(`${input}:shown`) === form.text(input)) continue;
      item = withValue(item, one.name, readAs(one.kind, form.text(input)));
    }
    const isNew = form.has(`${own}:new`);
    rows.push({ item, isNew, stages: rowsIn(form, stageList, `${own}.stages`) });
  }
  return rows;
}

/** Performs the action of a row's or a list's button: `add:users`, `up:users.3`, `remove:pipelines.0.stages.2`. */
export function changedDraft(draft: Draft, what: string): Draft {
  const [verb = '', path = ''] = what.split(':');
  const [name = '', ...inner] = path.split('.');
  const list = inner.includes('stages') ? stageList : lists.find((one) => one.name === name);
  const item = list?.columns.includes(active) ? { active: true } : {};
  const added = { item, isNew: true, stages: [] };
  const rows = changedRows(draft.rows[name] ?? [], { verb, added }, inner);
  return { ...draft, rows: { ...draft.rows, [name]: rows } };
}

/** @param path the path of the row in the list or in its stages; empty for the list itself */
function changedRows(
  rows: readonly Row[],
  change: { readonly verb: string; readonly added: Row },
  [position, ...inner]: readonly string[],
): readonly Row[] {
  if (position === undefined) return [...rows, change.added];
  const at = Number(position);
  const row = rows[at];
  if (!row) return rows;
  if (inner.length > 0)
    return rows.with(at, { ...row, stages: changedRows(row.stages, change, inner.slice(1)) });
  if (change.verb === 'remove') return rows.toSpliced(at, 1);
  const place = change.verb === 'up' ? at - 1 : at + 1;
  const other = rows[place];
  return other ? inPlace(rows.with(at, other).with(place, row)) : rows;
}

/** Numbers the rows that have an order by their place. */
const inPlace = (rows: readonly Row[]): Row[] =>
  rows.map((row, at) =>
    'order' in row.item ? { ...row, item: { ...row.item, order: at + 1 } } : row,
  );

/** The settings file of a draft. New items lack what nobody types, which `completedFile` fills in. */
export function fileOf({ rest, rows }: Draft): object {
  const itemOf = ({ item, isNew, stages }: Row, list: string): Item => {
    if (list === 'pipelines') return { ...item, stages: stages.map((stage) => stage.item) };
    return withoutEmptyRule(list === 'fields' && isNew ? newField(item) : item);
  };
  const itemsOf = (list: string) => (rows[list] ?? []).map((row) => itemOf(row, list));
  return { ...rest, ...Object.fromEntries(lists.map(({ name }) => [name, itemsOf(name)])) };
}

function newField(item: Item): Item {
  const words = comparableName(String(item.label ?? ''))
    .normalize('NFD')
    .match(/[a-z0-9]+/g);
  const key = item.key || (words ?? []).join('_');
  return { type: 'text', section: 'More', storage: 'custom', ...item, key };
}

/** Removes a condition without a field. */
function withoutEmptyRule(item: Item): Item {
  const { when, ...others } = item;
  if (valueAt(item, 'when.field') === '') return others;
  return valueAt(item, 'showWhen.field') === '' ? { ...item, showWhen: null } : item;
}
