import { isPlainObject } from '../base/json.ts';
import { comparableName } from '../base/text.ts';
import { display, type SettingsIssue } from './settings-shape.ts';

/** A name by which people and programs find an item of a list. */
export interface PlacedName {
  readonly name: string;
  /** The list, wherever it is in a file. */
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
 * The names that only the comparison of names makes equal to an earlier one of their list. Settings in force may have such names, from before
 * the rule: leads and forms have them as they are spelled, so they stay.
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
