import {
  listKeptVersions,
  readKeptSettings,
  versionsKept,
} from '../../../shared/store/organizations/audit-log.ts';
import {
  readSettings,
  type StoredSettings,
} from '../../../shared/store/organizations/organizations.ts';
import type { Table } from '../../../shared/store/table/client.ts';
import { CommandError, unknownOrganizationError } from '../context.ts';

/** A version of the settings, in force or kept. */
export type SettingsVersion = Pick<StoredSettings, 'settings' | 'version'>;

/** The settings in force. @throws CommandError for an unknown organization */
export async function settingsInForce(
  table: Table,
  organizationId: number,
): Promise<StoredSettings> {
  const stored = await readSettings(table, organizationId);
  if (!stored) throw unknownOrganizationError(table, organizationId);
  return stored;
}

/** The settings of a version. @throws CommandError naming the versions that are kept */
export async function settingsOfVersion(
  table: Table,
  inForce: StoredSettings,
  version: number,
): Promise<SettingsVersion> {
  if (version === inForce.version) return inForce;
  const { id } = inForce.settings;
  const settings = await readKeptSettings(table, id, version);
  if (settings) return { settings, version };
  const kept = [inForce.version, ...(await listKeptVersions(table, id))];
  throw new CommandError(
    `Version ${version} of the settings of organization ${id} is not kept: there are ${kept.join(', ')} (the last ${versionsKept}, and the one in force).`,
  );
}
