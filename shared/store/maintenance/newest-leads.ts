import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../leads/lead.ts';
import { leadFrom } from '../leads/leads.ts';
import type { Table } from '../table/client.ts';
import { leadsPartitionKey } from '../table/primary-keys.ts';

/** Leads in one query. Archived leads are few and in no index, so a query for them must read many others. */
const readAtOnce = 1000;

/**
 * The newest archived, or the newest active leads, and whether there are more. Reads leads until it has found enough, or all of them.
 * Consistent.
 */
export async function newestLeads(
  table: Table,
  organizationId: number,
  { archived, limit }: { readonly archived: boolean; readonly limit: number },
): Promise<{ leads: readonly Lead[]; more: boolean }> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :leads',
      FilterExpression: archived
        ? 'attribute_exists(archivedAt)'
        : 'attribute_not_exists(archivedAt)',
      ExpressionAttributeValues: { ':leads': leadsPartitionKey(organizationId) },
      ScanIndexForward: false,
      ConsistentRead: true,
      Limit: archived ? readAtOnce : Math.min(readAtOnce, limit + 1),
    },
  );
  const leads: Lead[] = [];
  for await (const { Items = [] } of pages) {
    leads.push(...Items.map((item) => leadFrom(organizationId, item)));
    if (leads.length > limit) break;
  }
  return { leads: leads.slice(0, limit), more: leads.length > limit };
}
