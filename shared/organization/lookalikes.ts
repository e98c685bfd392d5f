import { comparableName } from '../text.ts';
import type { SettingsFile } from './settings-schema.ts';
import { display, type SettingsIssue } from './settings-shape.ts';

/** A name by which people and programs find an item of a list. */
export interface PlacedName {
  readonly name: string;
  /** The list, wherever it is in a file. */
  readonly list: string;
  readonly path: string;
}

type Lists = Pick<SettingsFile, 'users' | 'sources' | 'pipelines' | 'fields'>;
type Item<Property extends string> = Readonly<Record<Property, string>> & { active?: boolean };

const placed = <Property extends string>(
  path: string,
  items: readonly Item<Property>[] = [],
  property: Property,
  list = path,
): PlacedName[] =>
  items.flatMap(({ [property]: name, active = true }, index) =>
    active ? [{ name, list: `${list} ${property}`, path: `${path}[${index}].${property}` }] : [],
  );

/** The names of every list, without those of inactive items. */
export const namesIn = ({ users, sources, pipelines, fields }: Lists): readonly PlacedName[] => [
  ...placed('$.users', users, 'name'),
  ...placed('$.sources', sources, 'name'),
  ...placed('$.pipelines', pipelines, 'name'),
  ...pipelines.flatMap(({ id, stages }, index) =>
    placed(`$.pipelines[${index}].stages`, stages, 'name', `stages of ${id}`),
  ),
  ...placed('$.fields', fields, 'label'),
  ...fields.flatMap(({ key, options }, index) =>
    (['value', 'label'] as const).flatMap((property) =>
      placed(`$.fields[${index}].options`, options, property, `options of ${key}`),
    ),
  ),
];

/**
 * The names that only the comparison of names makes equal to an earlier one of their list. Settings in force may have such names, from before
 * the rule: leads and forms have them as they are spelled, so they stay.
 */
export function lookalikesAmong(
  names: readonly PlacedName[],
  inForce: Lists | undefined,
): readonly SettingsIssue[] {
  const spelled = ({ list, name }: PlacedName): string => `${list}: ${name}`;
  const known = new Set(inForce && namesIn(inForce).map(spelled));
  const first = new Map<string, PlacedName>();
  return names.flatMap((one) => {
    const compared = `${one.list}: ${comparableName(one.name)}`;
    const earlier = first.get(compared);
    if (!earlier) first.set(compared, one);
    if (
      !earlier ||
      earlier.name === one.name ||
      [earlier, one].every((it) => known.has(spelled(it)))
    )
      return [];
    const message = `is ${display(one.name)}, which people read as ${display(earlier.name)} in ${earlier.path}: give each a name of its own`;
    return [{ path: one.path, message }];
  });
}
