import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../leads/lead.ts';
import { leadFrom } from '../leads/leads.ts';
import type { Table } from '../table/client.ts';
import { leadsPartitionKey } from '../table/primary-keys.ts';

/** Leads that are read at once: archived ones are few, and there is no index of them. */
const readAtOnce = 1000;

/**
 * The newest leads, either those that are archived or those that are not, and whether there are more. Reads leads until it has
 * found enough: all of them, where there are not so many. Consistent.
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
      FilterExpression: archived ? 'attribute_exists(archivedAt)' : 'attribute_not_exists(archivedAt)',
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
