import {
  type Organization,
  organizationFrom,
  type Settings,
  settingsFrom,
} from '../../organization/organization.ts';
import type { Table } from '../table/client.ts';
import { getItem } from '../table/get-item.ts';
import type { DirectoryItem, SettingsItem, Stored } from '../table/items.ts';
import { queryAll } from '../table/many-items.ts';
import { directoryPartitionKey, settingsPrimaryKey } from '../table/primary-keys.ts';

export type StoredSettings = Omit<SettingsItem, 'settings'> & { readonly settings: Settings };

/** Reads an organization's settings; undefined for an unknown organization. One consistent read of the whole document. */
export async function readSettings(
  table: Table,
  organizationId: number,
): Promise<StoredSettings | undefined> {
  const item = await getItem(table, settingsPrimaryKey(organizationId));
  return item && { ...item, settings: settingsFrom(item.settings) };
}

/** An organization as the rules use it; undefined for an unknown organization. One consistent read. */
export async function loadOrganization(
  table: Table,
  organizationId: number,
): Promise<Organization | undefined> {
  const stored = await readSettings(table, organizationId);
  return stored && organizationFrom(stored.settings, stored.version);
}

/** All organizations in the table, by ID. Consistent reads, a read unit for about a hundred organizations. */
export async function listOrganizations(table: Table): Promise<{ id: number; name: string }[]> {
  const items = await queryAll<Stored<DirectoryItem>>(table, directoryPartitionKey);
  return items.map(({ sk, name }) => ({ id: Number(sk), name }));
}
