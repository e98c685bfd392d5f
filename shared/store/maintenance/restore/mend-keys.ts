import { getItem } from '../../table/get-item.ts';
import { apiKeyPrimaryKey, keyListingPrimaryKey } from '../../table/primary-keys.ts';
import type { MendedTable } from './mended-table.ts';
import type { KeyReference } from './survey.ts';

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
