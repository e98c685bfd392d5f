import { isDeepStrictEqual } from 'node:util';
import type { Organization } from '../../organization/organization.ts';
import {
  parseSettingsFile,
  SettingsFileError,
  toSettingsFile,
} from '../../organization/settings.ts';
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
import { organizationIn, settingsIn } from './look-at-lead.ts';
import { readTogether, readWith } from './read-together.ts';
import { futureIssues } from './times.ts';
import { usageIssues } from './usage-issues.ts';

/** Reads an organization's settings, usage and directory entry. @param limit in force; undefined if unknown @returns what is wrong, as sentences */
export async function lookAtOrganization(
  { table, organizationId }: OrganizationTable,
  limit: number | undefined,
): Promise<string[]> {
  const [settings, usage, directory] = await readTogether(table, [
    settingsPrimaryKey(organizationId),
    usagePrimaryKey(organizationId),
    directoryPrimaryKey(organizationId),
  ]);
  return [
    ...organizationIssues(organizationId, settingsIn(settings), usage, directory),
    ...usageIssues(`Organization ${organizationId}`, usage ?? {}, limit),
  ];
}

/** Compares a listed API key with its item. @param limit in force; undefined if unknown @returns what is wrong, as sentences */
export async function lookAtListedKey(
  { table, organizationId }: OrganizationTable,
  keyId: string,
  limit: number | undefined,
): Promise<string[]> {
  const itemKey = (read: Item | undefined) => apiKeyPrimaryKey(String(read?.apiKeyHash));
  const [listing, item, settings] = await readWith(
    table,
    keyListingPrimaryKey(organizationId, keyId),
    (read) => [itemKey(read), settingsPrimaryKey(organizationId)],
  );
  if (!listing) return [];
  const whose = `API key ${keyId} of organization ${organizationId}`;
  return item
    ? [
        ...keyIssues(whose, listing, item, organizationIn(settings)),
        ...usageIssues(whose, item, limit),
      ]
    : [`${whose} is listed, but its item ${keyText(itemKey(listing))} is not there.`];
}

/** The organization of an API key's item must list the key. */
export async function lookAtKeyItem(table: Table, key: PrimaryKey): Promise<string[]> {
  const listingKeys = (item: Item | undefined): PrimaryKey[] =>
    typeof item?.organizationId === 'number' && typeof item.keyId === 'string' && item.keyId !== ''
      ? [keyListingPrimaryKey(item.organizationId, item.keyId)]
      : [];
  const [item, listing] = await readWith(table, key, listingKeys);
  if (!item) return [];
  if (listingKeys(item).length === 0)
    return [`The API key item ${keyText(key)} says neither its organization nor its id.`];
  const says = `The API key item ${keyText(key)} is key ${item.keyId} of organization ${item.organizationId}`;
  if (!listing) return [`${says}, which does not list it.`];
  return apiKeyPrimaryKey(String(listing.apiKeyHash)).pk === key.pk
    ? []
    : [`${says}, which lists it under another hash.`];
}

/** The attributes that a key's item and its listing have in common. */
const sharedAttributes = [
  'organizationId',
  'keyId',
  'type',
  'label',
  'scopes',
  'createdBy',
  'createdAt',
  'expiresAt',
  'revokedAt',
];

function keyIssues(
  whose: string,
  listing: Item,
  item: Item,
  organization: Organization | undefined,
): string[] {
  const { createdBy, createdAt, revokedAt } = item;
  const isKnown =
    !organization || (typeof createdBy === 'number' && organization.userById.has(createdBy));
  const different = sharedAttributes.filter(
    (name) => !isDeepStrictEqual(listing[name], item[name]),
  );
  return [
    ...(different.length === 0
      ? []
      : [`${whose} is listed with another ${different.join(', ')} than its item has.`]),
    ...(isKnown
      ? []
      : [
          `${whose} was created by user ${JSON.stringify(createdBy)}, whom the organization does not have.`,
        ]),
    ...futureIssues({ createdAt, revokedAt }).map((issue) => `${whose} ${issue}.`),
  ];
}

function organizationIssues(
  id: number,
  settings: SettingsItem | undefined,
  usage: Item | undefined,
  directory: Item | undefined,
): string[] {
  const whose = `Organization ${id}`;
  if (!settings)
    return [
      `${whose} has items, but its settings ${keyText(settingsPrimaryKey(id))} are not there.`,
    ];
  const { id: settingsId, name } = settings.settings;
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
    ...settingsIssues(whose, settings),
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
