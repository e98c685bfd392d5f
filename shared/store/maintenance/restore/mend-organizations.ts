import { readSettings } from '../../organizations/organizations.ts';
import { getItem } from '../../table/get-item.ts';
import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  keyListingPrimaryKey,
  settingsPrimaryKey,
} from '../../table/primary-keys.ts';
import { removeOrganization } from '../remove-organization.ts';
import type { MendedTable } from './mended-table.ts';
import { RestoreError } from './restore-origin.ts';
import type { KeyReference, Survey } from './survey.ts';

/**
 * Completes or removes organizations that were being created: settings are copied from the old table, and an organization without settings is
 * removed, because nothing can be done with it.
 * @param listed the organizations of the directory
 * @returns the organizations that remain
 * @throws RestoreError, before it changes anything, if an organization without settings has leads: it was not being created
 */
export async function mendOrganizations(
  mended: MendedTable,
  survey: Survey,
  listed: readonly number[],
): Promise<number[]> {
  const { table, old } = mended;
  for (const id of survey.organizationsWithLeads)
    if (!(await readSettings(table, id)) && !(old && (await readSettings(old, id))))
      throw new RestoreError(
        `Organization ${id} of table ${table.name} has leads but no settings: restore another moment, and check it before you use it. Nothing was changed.`,
      );
  const remaining: number[] = [];
  for (const id of new Set([...listed, ...survey.organizations])) {
    const copy = old && (await getItem(old, settingsPrimaryKey(id)));
    if (!(await readSettings(table, id)) && copy)
      await mended.put({ ...copy, ...settingsPrimaryKey(id) });
    const stored = await readSettings(table, id);
    if (!stored) {
      mended.removed += await removeOrganization(table, id);
      continue;
    }
    if (!listed.includes(id))
      await mended.put({ ...directoryPrimaryKey(id), name: stored.settings.name });
    remaining.push(id);
  }
  return remaining;
}

/** Writes the missing one of an API key and its listing, and revokes the one that is not revoked if the other is. */
export async function mendKey(
  mended: MendedTable,
  { organizationId, keyId, apiKeyHash }: KeyReference,
): Promise<void> {
  const keys = [apiKeyPrimaryKey(apiKeyHash), keyListingPrimaryKey(organizationId, keyId)] as const;
  const key = await getItem(mended.table, keys[0]);
  const listing = await getItem(mended.table, keys[1]);
  const revokedAt = key?.revokedAt ?? listing?.revokedAt;
  const revoked = revokedAt === undefined ? {} : { revokedAt };
  if (listing && (!key || key.revokedAt !== revokedAt)) {
    const { apiKeyHash: _, ...shared } = listing;
    await mended.put({ used: 0, windowEndsAt: 0, ...(key ?? shared), ...keys[0], ...revoked });
  }
  if (key && (!listing || listing.revokedAt !== revokedAt)) {
    const { used: _, windowEndsAt: __, ...shared } = key;
    await mended.put({ apiKeyHash, ...(listing ?? shared), ...keys[1], ...revoked });
  }
}
