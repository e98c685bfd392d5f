import {
  parseSettingsFile,
  SettingsFileError,
  toSettingsFile,
} from '../../organization/settings.ts';
import type { Item, SettingsItem } from '../table/items.ts';
import {
  directoryPrimaryKey,
  keyText,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { futureIssues } from './times.ts';

/** What is wrong with an organization's own items, as sentences. */
export function organizationIssues(
  id: number,
  settings: Item | undefined,
  usage: Item | undefined,
  directory: Item | undefined,
): string[] {
  const whose = `Organization ${id}`;
  if (!settings)
    return [
      `${whose} has items, but its settings ${keyText(settingsPrimaryKey(id))} are not there.`,
    ];
  const { id: settingsId, name } = (settings as SettingsItem).settings;
  return [
    ...(settingsId === id ? [] : [`${whose} has the settings of organization ${settingsId}.`]),
    ...(directory
      ? []
      : [`${whose} is not in the directory: ${keyText(directoryPrimaryKey(id))} is not there.`]),
    ...(!directory || directory.name === name
      ? []
      : [
          `${whose} is called ${JSON.stringify(name)}, but ${JSON.stringify(directory.name)} in the directory.`,
        ]),
    ...(usage
      ? usageItemIssues(whose, usage, settings)
      : [`${whose} has no usage item ${keyText(usagePrimaryKey(id))}.`]),
    ...settingsIssues(whose, settings as SettingsItem),
    ...futureIssues({ appliedAt: settings.appliedAt }).map((issue) => `${whose} ${issue}.`),
  ];
}

/** Whether a settings file could have made the settings: the rules of the file keep what requests rely on. */
function settingsIssues(whose: string, { settings }: SettingsItem): string[] {
  try {
    parseSettingsFile(JSON.stringify(toSettingsFile(settings)));
    return [];
  } catch (error) {
    if (!(error instanceof SettingsFileError)) throw error;
    return error.issues.map(
      ({ path, message }) =>
        `${whose} has settings that no settings file can have: ${path} ${message.replace(/\.$/, '')}. Apply a settings file that is right.`,
    );
  }
}

function usageItemIssues(
  whose: string,
  { used, lastLeadId, windowEndsAt, settingsVersion }: Item,
  settings: Item,
): string[] {
  const isCount = (value: unknown): boolean =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  const counters = Object.entries({ used, lastLeadId, windowEndsAt }).filter(
    ([, value]) => !isCount(value),
  );
  return [
    ...(settingsVersion === settings.version
      ? []
      : [
          `${whose} has settings of version ${settings.version}, but its usage item says ${settingsVersion}.`,
        ]),
    ...counters.map(
      ([counter, value]) =>
        `${whose} has the ${counter} ${JSON.stringify(value)} in its usage item, which must be a count.`,
    ),
  ];
}
