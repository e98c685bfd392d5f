import { paginateQuery, paginateScan } from '@aws-sdk/lib-dynamodb';
import { comparableEmail } from '../../leads/identity.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import { listApiKeys, revokeApiKey } from '../organizations/api-keys.ts';
import type { OrganizationTable, Table } from '../table/client.ts';
import { getItem, itemsOf } from '../table/get-item.ts';
import { kindOf } from '../table/item-kind.ts';
import {
  apiKeyPrimaryKey,
  directoryPrimaryKey,
  emailPrimaryKey,
  erasurePrimaryKey,
  historyPartitionKey,
  keyListingPrimaryKey,
  leadPrimaryKey,
  type PrimaryKey,
  phonePrimaryKey,
  settingsPrimaryKey,
  timelinePartitionKey,
  turnPrimaryKey,
  usagePrimaryKey,
} from '../table/primary-keys.ts';
import { partitionKeyPrefixes } from '../table/table-definition.ts';
import { deleteItems } from './delete-items.ts';
import { scanLeadsAscending } from './read-leads.ts';

/**
 * Removes an organization for good, with all of its leads and keys. For an organization that was made for a test: it asks nothing. Reads and
 * writes only the organization's own items. Revokes the keys first, and deletes the directory entry last, so that a repeat completes it.
 * A request that is still in progress can write after the removal: the caller waits for its own requests before.
 * Its idempotency records and imported rows stay.
 * @returns the number of items deleted
 */
export async function removeOrganization(table: Table, organizationId: number): Promise<number> {
  const own = { table, organizationId };
  const apiKeys = await listApiKeys(table, organizationId);
  for (const { keyId } of apiKeys) await revokeApiKey(table, organizationId, keyId);
  let deleted = 0;
  const remove = async (keys: readonly PrimaryKey[]): Promise<void> => {
    await deleteItems(table, keys);
    deleted += keys.length;
  };
  for await (const leads of scanLeadsAscending(table, organizationId, { withArchived: true }))
    for (const lead of leads) await remove(await itemsOfLead(own, lead));
  for (const { keyId } of apiKeys) await remove(await itemsOfKey(own, keyId));
  const erasures = await keysIn(table, erasurePrimaryKey(organizationId, 0).pk);
  for (const { sk } of erasures)
    await remove(await keysIn(table, timelinePartitionKey(organizationId, Number(sk))));
  await remove(erasures);
  for (const pk of [turnPrimaryKey(organizationId, '').pk, historyPartitionKey(organizationId)])
    await remove(await keysIn(table, pk));
  await remove([usagePrimaryKey(organizationId), settingsPrimaryKey(organizationId)]);
  await remove([directoryPrimaryKey(organizationId)]);
  return deleted;
}

async function itemsOfLead(
  { table, organizationId }: OrganizationTable,
  lead: Lead,
): Promise<PrimaryKey[]> {
  const email = emailOf(lead);
  return [
    phonePrimaryKey(organizationId, phoneOf(lead)),
    ...(email === null ? [] : [emailPrimaryKey(organizationId, comparableEmail(email))]),
    ...(await keysIn(table, timelinePartitionKey(organizationId, lead.id))),
    leadPrimaryKey(organizationId, lead.id),
  ];
}

/** The key before its listing, which alone tells the key's hash. */
async function itemsOfKey(
  { table, organizationId }: OrganizationTable,
  keyId: string,
): Promise<PrimaryKey[]> {
  const listing = keyListingPrimaryKey(organizationId, keyId);
  const item = await getItem(table, listing);
  return item ? [apiKeyPrimaryKey(item.apiKeyHash), listing] : [];
}

async function keysIn(table: Table, pk: string): Promise<PrimaryKey[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk',
      ExpressionAttributeValues: { ':pk': pk },
      ProjectionExpression: 'pk, sk',
      ConsistentRead: true,
    },
  );
  const keys: PrimaryKey[] = [];
  for await (const { Items } of pages) keys.push(...itemsOf<PrimaryKey>(Items));
  return keys;
}

/**
 * Removes the idempotency records of API keys, for organizations whose callers sent keys that nobody knows. Scans the whole table.
 * @returns the number of items deleted
 */
export async function removeIdempotencyRecords(
  table: Table,
  keyIds: ReadonlySet<string>,
): Promise<number> {
  const pages = paginateScan(
    { client: table.client },
    {
      TableName: table.name,
      FilterExpression: 'begins_with(pk, :prefix)',
      ExpressionAttributeValues: { ':prefix': partitionKeyPrefixes.idempotency },
      ProjectionExpression: 'pk, sk',
    },
  );
  let deleted = 0;
  for await (const { Items } of pages) {
    const own = itemsOf<PrimaryKey>(Items).filter((key) => {
      const item = kindOf(key);
      return item?.kind === 'idempotency' && keyIds.has(item.keyId);
    });
    await deleteItems(table, own);
    deleted += own.length;
  }
  return deleted;
}
