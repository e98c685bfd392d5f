import { isPlainObject } from '../../../../shared/base/json.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { briefly, type SettingsChange, settingsChanges } from '../../organization/settings-diff.ts';
import { lists, stageList } from './rows.ts';

const titles = new Map([...lists, stageList].map(({ name, title }) => [name, title]));
const labels = new Map(
  [...lists, stageList].flatMap(({ columns }) => columns.map(({ name, label }) => [name, label])),
);

/** The changes in words: `Sources › Facebook Ads › Name: from "Facebook Ads" to "Meta Ads"`. */
export const changesInWords = (before: Settings, after: Settings): string[] =>
  settingsChanges(before, after)
    .filter((change) => !isOnlyInFile(change))
    .map((change) => inWords(change, [after, before]));

/** The number `order` determines the place of a pipeline or a stage, not its position in the file. */
const isOnlyInFile = ({ path, change }: SettingsChange): boolean =>
  change === 'reordered' && /\.(pipelines|stages)$/.test(path);

function inWords(
  { path, change, from, to }: SettingsChange,
  versions: readonly Settings[],
): string {
  const place = placeInWords(path, versions);
  if (change === 'added') return `${place} added: ${briefly(to)}`;
  if (change === 'removed') return `${place} removed: ${briefly(from)}`;
  return change === 'changed'
    ? `${place}: from ${briefly(from)} to ${briefly(to)}`
    : `${place} ${change}`;
}

/** The place of a JSON path in words: `Sources › Facebook Ads › Name`. @param versions the documents in which to look up names */
export const placeInWords = (path: string, versions: readonly unknown[]): string =>
  placeOf(path, versions).join(' › ') || 'Settings';

const steps = /\.([A-Za-z_]\w*)|\[(\w+)=("(?:[^"\\]|\\.)*"|\d+)\]|\[(\d+)\]/g;

/** The names along a path. A list's item is looked up in the first version that has it. */
function placeOf(path: string, versions: readonly unknown[]): string[] {
  let found: readonly unknown[] = versions;
  return [...path.matchAll(steps)].map(([, property, identity = '', quoted = '', position]) => {
    if (property !== undefined) {
      found = found.map((one) => (isPlainObject(one) ? one[property] : undefined));
      return titles.get(property) ?? labels.get(property) ?? property;
    }
    const value = position === undefined ? JSON.parse(quoted) : Number(position);
    found = found.map((one) => itemOf(one, identity, value));
    const item = found.find(isPlainObject);
    return String(
      item?.name || item?.label || (position === undefined ? value : Number(value) + 1),
    );
  });
}

function itemOf(list: unknown, identity: string, value: unknown): unknown {
  if (!Array.isArray(list)) return undefined;
  if (identity === '') return list[Number(value)];
  return list.find((one) => isPlainObject(one) && one[identity] === value);
}
