import { isDeepStrictEqual } from 'node:util';
import {
  type Organization,
  organizationFrom,
  settingsFrom,
} from '../../organization/organization.ts';
import { parseSettingsFile, toSettingsFile } from '../../organization/settings.ts';
import { SettingsRejectedError } from '../../organization/settings-shape.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import type { Item, SettingsItem } from '../table/items.ts';
import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  keyListingPrimaryKey,
  keyText,
  type PrimaryKey,
  settingsPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { readTogether, readWith } from '../table/read-together.ts';
import { futureIssues, isUser, windowIssues } from './item-issues.ts';

/** Settings were checked when they were applied, so the check relies on their types. */
export function organizationIn(settingsItem: Item | undefined): Organization | undefined {
  const stored = settingsItem as SettingsItem | undefined;
  return stored && organizationFrom(settingsFrom(stored.settings), stored.version);
}

/** Reads an organization's settings, usage and directory entry. @returns a sentence for each violation */
export async function lookAtOrganization({
  table,
  organizationId,
}: OrganizationTable): Promise<string[]> {
  const [settings, usage, directory] = await readTogether(table, [
    settingsPrimaryKey(organizationId),
    usagePrimaryKey(organizationId),
    directoryPrimaryKey(organizationId),
  ]);
  return [
    ...organizationIssues(organizationId, settings as SettingsItem | undefined, usage, directory),
  ];
}

/** Compares a listed API key with its item. @returns a sentence for each violation */
export async function lookAtListedKey(
  { table, organizationId }: OrganizationTable,
  keyId: string,
): Promise<string[]> {
  const itemKey = (read: Item | undefined) => apiKeyPrimaryKey(String(read?.apiKeyHash));
  const [listing, item, settings] = await readWith(
    table,
    keyListingPrimaryKey(organizationId, keyId),
    (read) => [itemKey(read), settingsPrimaryKey(organizationId)],
  );
  if (!listing) return [];
  const subject = `API key ${keyId} of organization ${organizationId}`;
  return item
    ? [...keyIssues(subject, listing, item, organizationIn(settings))]
    : [`${subject} is listed, but its item ${keyText(itemKey(listing))} is not there.`];
}

/** Checks that the organization of an API key's item lists the key with its hash. */
export async function lookAtKeyItem(table: Table, key: PrimaryKey): Promise<string[]> {
  const [item, listing] = await readWith(table, key, (read) => [
    keyListingPrimaryKey(Number(read?.organizationId), String(read?.keyId)),
  ]);
  if (!item || apiKeyPrimaryKey(String(listing?.apiKeyHash)).pk === key.pk) return [];
  const { keyId, organizationId } = item;
  return [
    `The API key item ${keyText(key)} is key ${keyId} of organization ${organizationId}, which does not list it under this hash.`,
  ];
}

/** The attributes that only the key's item or only its listing has. */
const ownAttributes = ['pk', 'sk', 'used', 'windowEndsAt', 'apiKeyHash'];

function* keyIssues(
  subject: string,
  listing: Item,
  item: Item,
  organization: Organization | undefined,
): Generator<string> {
  const { createdBy, createdAt, revokedAt } = item;
  yield* windowIssues(subject, item);
  const different = Object.keys({ ...item, ...listing }).filter(
    (name) => !ownAttributes.includes(name) && !isDeepStrictEqual(listing[name], item[name]),
  );
  if (different.length > 0)
    yield `${subject} is listed with another ${different.join(', ')} than its item has.`;
  if (organization && !isUser(createdBy, organization))
    yield `${subject} was created by user ${JSON.stringify(createdBy)}, whom the organization does not have.`;
  for (const issue of futureIssues({ createdAt, revokedAt })) yield `${subject} ${issue}.`;
}

function* organizationIssues(
  id: number,
  settings: SettingsItem | undefined,
  usage: Item | undefined,
  directory: Item | undefined,
): Generator<string> {
  const subject = `Organization ${id}`;
  yield* windowIssues(subject, usage ?? {});
  if (!settings)
    return yield `${subject} has items but no settings item (${keyText(settingsPrimaryKey(id))}).`;
  const { id: settingsId, name } = settings.settings;
  // Requests would write under the other organization's partition keys.
  if (settingsId !== id) yield `${subject} has the settings of organization ${settingsId}.`;
  if (!directory)
    yield `${subject} is not in the directory: ${keyText(directoryPrimaryKey(id))} is not there.`;
  else if (directory.name !== name)
    yield `${subject} is called ${JSON.stringify(name)}, but ${JSON.stringify(directory.name)} in the directory.`;
  if (!usage) yield `${subject} has no usage item ${keyText(usagePrimaryKey(id))}.`;
  else if (usage.settingsVersion !== settings.version)
    yield `${subject} has settings of version ${settings.version}, but its usage item says ${usage.settingsVersion}.`;
  yield* settingsIssues(subject, settings);
  for (const issue of futureIssues({ appliedAt: settings.appliedAt })) yield `${subject} ${issue}.`;
}

/** Checks that a settings file could have produced the settings, because requests rely on the file's rules. */
function* settingsIssues(subject: string, { settings }: SettingsItem): Generator<string> {
  try {
    parseSettingsFile(JSON.stringify(toSettingsFile(settingsFrom(settings))));
  } catch (error) {
    if (!(error instanceof SettingsRejectedError)) throw error;
    for (const { path, message } of error.issues)
      yield `${subject} has settings that no settings file can have: ${path} ${message.replace(/\.$/, '')}. Apply a settings file that is right.`;
  }
}
