import { isPlainObject } from '../base/json.ts';
import { comparableName } from '../base/text.ts';
import { display, type SettingsIssue } from './settings-shape.ts';

/** A name that identifies an item of a list to people and programs. */
export interface PlacedName {
  readonly name: string;
  /** The path of the list with IDs and keys instead of positions, so that it stays the same when items move in the file. */
  readonly list: string;
  readonly path: string;
}

/** The names of a settings file's lists, without those of inactive items. */
export function namesIn(value: unknown, path = '$', list = ''): readonly PlacedName[] {
  if (isPlainObject(value))
    return Object.entries(value).flatMap(([property, part]) =>
      namesIn(part, `${path}.${property}`, `${list}.${property}`),
    );
  return [value].flat().flatMap((item, index) => {
    if (!isPlainObject(item) || item.active === false) return [];
    const at = `${path}[${index}]`;
    const named = ['name', 'label', 'value'].flatMap((property) => {
      const name = item[property];
      return typeof name === 'string'
        ? [{ name, list: `${list}.${property}`, path: `${at}.${property}` }]
        : [];
    });
    return [...named, ...namesIn(item, at, `${list}[${item.id ?? item.key}]`)];
  });
}

/**
 * Reports each name that is spelled differently from an earlier name of its list, but equals it in comparable form. Settings in force may
 * have such names, stored before this rule existed. Leads and forms use them as spelled, so they are accepted.
 */
export function lookalikesAmong(
  names: readonly PlacedName[],
  inForce: object | undefined,
): readonly SettingsIssue[] {
  const spelled = ({ list, name }: PlacedName): string => `${list}: ${name}`;
  const known = new Set(namesIn(inForce).map(spelled));
  const first = new Map<string, PlacedName>();
  return names.flatMap((placed) => {
    const compared = `${placed.list}: ${comparableName(placed.name)}`;
    const earlier = first.get(compared) ?? placed;
    first.set(compared, earlier);
    const isInForce = [earlier, placed].every((each) => known.has(spelled(each)));
    if (earlier.name === placed.name || isInForce) return [];
    const message = `is ${display(placed.name)}, which people read as ${display(earlier.name)} in ${earlier.path}: give each a name of its own`;
    return [{ path: placed.path, message }];
  });
}
