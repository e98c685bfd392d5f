import { isDeepStrictEqual } from 'node:util';
import { isPlainObject } from '../../shared/json.ts';
import { stepInto } from '../../shared/organization/settings-shape.ts';

/** One place where two settings differ. */
export interface SettingsChange {
  /** JSON path; items of a list by their id, key or value: `$.sources[id=3].name`. */
  readonly path: string;
  readonly change: 'added' | 'changed' | 'removed' | 'activated' | 'deactivated' | 'reordered';
  /** Absent for what was not there before, or is not after. */
  readonly from?: unknown;
  readonly to?: unknown;
}

/** Properties that name an item of a list, the first that it has. */
const identifying = ['id', 'key', 'value'] as const;

/** What becomes different from one settings document to the next, in the order of the documents. */
export function settingsChanges(before: unknown, after: unknown, path = '$'): SettingsChange[] {
  if (isDeepStrictEqual(before, after)) return [];
  if (before === undefined) return [{ path, change: 'added', to: after }];
  if (after === undefined) return [{ path, change: 'removed', from: before }];
  if (isPlainObject(before) && isPlainObject(after)) {
    const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
    return names.flatMap((name) => propertyChanges(name, before[name], after[name], path));
  }
  if (Array.isArray(before) && Array.isArray(after)) {
    const lists = [byName(before), byName(after)];
    if (lists[0] && lists[1]) return listChanges(lists[0], lists[1], path);
  }
  return [{ path, change: 'changed', from: before, to: after }];
}

function propertyChanges(name: string, before: unknown, after: unknown, path: string): SettingsChange[] {
  if (name === 'active' && before === true && after === false) return [{ path, change: 'deactivated' }];
  if (name === 'active' && before === false && after === true) return [{ path, change: 'activated' }];
  return settingsChanges(before, after, stepInto(path, name));
}

/** A list's items by what names them; undefined for a list of other things, or where two have the same name. */
function byName(list: readonly unknown[]): Map<string, unknown> | undefined {
  const named = new Map<string, unknown>();
  for (const item of list) {
    const property = isPlainObject(item) ? identifying.find((name) => Object.hasOwn(item, name)) : undefined;
    if (!property) return undefined;
    const value = (item as Record<string, unknown>)[property];
    named.set(`[${property}=${typeof value === 'number' ? value : JSON.stringify(value)}]`, item);
  }
  return named.size === list.length ? named : undefined;
}

function listChanges(before: Map<string, unknown>, after: Map<string, unknown>, path: string): SettingsChange[] {
  const names = [...new Set([...before.keys(), ...after.keys()])];
  const changes = names.flatMap((name) => settingsChanges(before.get(name), after.get(name), `${path}${name}`));
  const kept = (list: Map<string, unknown>, other: Map<string, unknown>): string[] =>
    [...list.keys()].filter((name) => other.has(name));
  const [from, to] = [kept(before, after), kept(after, before)];
  return isDeepStrictEqual(from, to) ? changes : [...changes, { path, change: 'reordered', from, to }];
}

/** A change on one line, for people. */
export function changeLine({ path, change, from, to }: SettingsChange): string {
  if (change === 'added') return `  ${path} added: ${briefly(to)}`;
  if (change === 'removed') return `  ${path} removed: ${briefly(from)}`;
  if (change === 'changed') return `  ${path} changed: from ${briefly(from)} to ${briefly(to)}`;
  return change === 'reordered' ? `  ${path} reordered: ${(to as string[]).join(', ')}` : `  ${path} ${change}`;
}

/** The name of a thing that has one; else the value, shortened. */
function briefly(value: unknown): string {
  const name = isPlainObject(value) ? (value.name ?? value.label) : undefined;
  const text = JSON.stringify(name ?? value);
  return text.length <= 100 ? text : `${text.slice(0, 97)}…`;
}
