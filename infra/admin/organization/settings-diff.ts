import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '../../../shared/base/json.ts';
import { settingsFileSchema } from '../../../shared/organization/settings-schema.ts';
import { inFileOrder, stepInto } from '../../../shared/organization/settings-shape.ts';

/** One difference between two settings documents. */
export interface SettingsChange {
  /** JSON path, with list items named by their ID, key or value: `$.sources[id=3].name`. */
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed' | 'activated' | 'deactivated' | 'reordered';
  /** Undefined if the value was added. */
  readonly from?: unknown;
  /** Undefined if the value was removed. */
  readonly to?: unknown;
}

/** The changes from one settings document to the next, in the order of the file. */
export const settingsChanges = (before: object | undefined, after: object): SettingsChange[] =>
  changesAt('$', inFileOrder(settingsFileSchema, before), inFileOrder(settingsFileSchema, after));

/** The changes as text. */
export const changeLines = (before: object | undefined, after: object): string[] =>
  settingsChanges(before, after).map(changeLine);

function changesAt(path: string, before: unknown, after: unknown): SettingsChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [{ path, change: 'added', to: after }];
  if (after === undefined) return [{ path, change: 'removed', from: before }];
  if (isPlainObject(before) && isPlainObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name): SettingsChange[] => {
      const [from, to] = [before[name], after[name]];
      const isSwitch = name === 'active' && typeof from === 'boolean' && typeof to === 'boolean';
      if (!isSwitch) return changesAt(stepInto(path, name), from, to);
      return from === to ? [] : [{ path, change: to ? 'activated' : 'deactivated' }];
    });
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const lists = [byIdentity(before), byIdentity(after)];
    if (lists[0] && lists[1]) return listChanges(path, lists[0], lists[1]);
  }
  return [{ path, change: 'changed', from: before, to: after }];
}

/** Properties that identify a list item, in order of preference. */
const identifying = ['id', 'key', 'value'] as const;

/** The items of a list by their identifying property; undefined if an item has none or two items share one. */
function byIdentity(list: readonly unknown[]): Map<string, unknown> | undefined {
  const items = new Map<string, unknown>();
  for (const item of list) {
    if (!isPlainObject(item)) return undefined;
    const property = identifying.find((name) => Object.hasOwn(item, name));
    if (!property) return undefined;
    const value = item[property];
    items.set(`[${property}=${typeof value === 'number' ? value : JSON.stringify(value)}]`, item);
  }
  return items.size === list.length ? items : undefined;
}

function listChanges(
  path: string,
  before: Map<string, unknown>,
  after: Map<string, unknown>,
): SettingsChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changes = names.flatMap((name) =>
    changesAt(`${path}${name}`, before.get(name), after.get(name)),
  );
  const kept = (list: Map<string, unknown>, other: Map<string, unknown>): string[] =>
    [...list.keys()].filter((name) => other.has(name));
  const [from, to] = [kept(before, after), kept(after, before)];
  return isDeepStrictEqual(from, to)
    ? changes
    : [...changes, { path, change: 'reordered', from, to }];
}

/** A change as text: one line, or a line for each item if a list's items have no identity, such as assignment rules. */
export function changeLine({ path, change, from, to }: SettingsChange): string {
  if (change === 'changed' && isObjectList(from) && isObjectList(to)) {
    return Array.from({ length: Math.max(from.length, to.length) }, (_, index) =>
      changesAt(`${path}[${index}]`, from[index], to[index]).map(changeLine),
    )
      .flat()
      .join('\n');
  }
  if (change === 'added') return `  ${path} added: ${briefly(to)}`;
  if (change === 'removed') return `  ${path} removed: ${briefly(from)}`;
  if (change === 'changed') return `  ${path} changed: from ${briefly(from)} to ${briefly(to)}`;
  return change === 'reordered'
    ? `  ${path} reordered: ${(to as string[]).join(', ')}`
    : `  ${path} ${change}`;
}

const isObjectList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.every(isPlainObject);

/** The name or label of a value or, if it has none, the shortened value. */
export function briefly(value: unknown): string {
  const name = isPlainObject(value) ? (value.name ?? value.label) : undefined;
  const text = JSON.stringify(name ?? value);
  return text.length <= 100 ? text : `${text.slice(0, 97)}…`;
}
