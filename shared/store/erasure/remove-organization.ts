import { identityKeysOf } from '../leads/identities.ts';
import { scanLeadsAscending } from '../leads/read-leads.ts';
import { listApiKeys, revokeApiKey } from '../organizations/api-keys.ts';
import type { Table } from '../table/client.ts';
import { prefixOf } from '../table/entities.ts';
import { getItem } from '../table/get-item.ts';
import { deleteItems, queryAll } from '../table/many-items.ts';
import { readUnitsPerSecondDefault, withPacedReads } from '../table/pacing.ts';
import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  erasurePrimaryKey,
  historyPartitionKey,
  keyListingPrimaryKey,
  keyOf,
  kindOf,
  leadPrimaryKey,
  type PrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
  turnPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { scanTable } from '../table/scan-table.ts';

/**
 * Removes an organization permanently, with all its leads and keys, and without asking: for organizations that tests create. Reads and
 * writes only the organization's own items. Revokes the keys first, and deletes the directory entry last, so that a repeat completes the
 * removal. A request in progress can write after the removal, so the caller must first wait for its requests. Idempotency records and
 * imported rows stay.
 * @returns the number of items deleted
 */
export async function removeOrganization(table: Table, organizationId: number): Promise<number> {
  let deleted = 0;
  const remove = async (keys: readonly PrimaryKey[]): Promise<void> => {
    await deleteItems(table, keys);
    deleted += keys.length;
  };
  const keysIn = (pk: string): Promise<PrimaryKey[]> =>
    queryAll(table, pk, { ProjectionExpression: 'pk, sk' });
  const timelineOf = (leadId: number) => keysIn(timelinePartitionKey(organizationId, leadId));

  const apiKeys = await listApiKeys(table, organizationId);
  for (const { keyId } of apiKeys) await revokeApiKey(table, organizationId, keyId);
  for await (const leads of scanLeadsAscending(table, organizationId))
    for (const lead of leads) {
      await remove([...identityKeysOf(lead), ...(await timelineOf(lead.id))]);
      // Deleted last, in a separate request: a batch has no order, and a repeat finds the other items by the lead.
      await remove([leadPrimaryKey(organizationId, lead.id)]);
    }
  for (const { keyId } of apiKeys) {
    const listing = await getItem(table, keyListingPrimaryKey(organizationId, keyId));
    if (!listing) continue;
    await remove([apiKeyPrimaryKey(listing.apiKeyHash)]);
    await remove([keyOf(listing)]); // deleted last, because only the listing has the key's hash
  }
  const erasures = await keysIn(erasurePrimaryKey(organizationId, 0).pk);
  for (const { sk } of erasures) await remove(await timelineOf(Number(sk)));
  await remove(erasures);
  await remove(await keysIn(turnPrimaryKey(organizationId, '').pk));
  await remove(await keysIn(historyPartitionKey(organizationId)));
  await remove([usagePrimaryKey(organizationId), settingsPrimaryKey(organizationId)]);
  await remove([directoryPrimaryKey(organizationId)]);
  return deleted;
}

/**
 * Removes the idempotency records of API keys, if nobody knows the idempotency keys that callers sent. Scans the whole table at the pace of
 * a command.
 * @returns the number of items deleted
 */
export async function removeIdempotencyRecords(
  table: Table,
  keyIds: ReadonlySet<string>,
): Promise<number> {
  let deleted = 0;
  const records = {
    FilterExpression: 'begins_with(pk, :prefix)',
    ExpressionAttributeValues: { ':prefix': prefixOf('idempotency') },
  };
  const paced = withPacedReads(table, readUnitsPerSecondDefault);
  await scanTable(paced, records, async ({ items }) => {
    const removed = items.filter((key) => {
      const item = kindOf(key);
      return item?.kind === 'idempotency' && keyIds.has(item.keyId);
    });
    await deleteItems(table, removed);
    deleted += removed.length;
  });
  return deleted;
}
