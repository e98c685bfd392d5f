import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { OrganizationTable } from '../table/client.ts';
import { ownerIndexKey } from '../table/primary-keys.ts';
import type { IndexName } from '../table/table-definition.ts';

const ownerIndex: IndexName = 'leadsByOwner';

/** How many leads a user owns, archived leads not counted. Eventually consistent: half a read unit for about 40 leads. */
export async function countOwnedLeads(
  { table, organizationId }: OrganizationTable,
  userId: number,
): Promise<number> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      IndexName: ownerIndex,
      KeyConditionExpression: 'ownerKey = :owner',
      ExpressionAttributeValues: { ':owner': ownerIndexKey(organizationId, userId) },
      Select: 'COUNT',
    },
  );
  let leads = 0;
  for await (const { Count = 0 } of pages) leads += Count;
  return leads;
}
