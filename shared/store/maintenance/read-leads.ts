import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../leads/lead.ts';
import { limits } from '../../limits.ts';
import { leadFrom } from '../leads/leads.ts';
import type { Table } from '../table/client.ts';
import { leadSortKey, leadsPartitionKey } from '../table/primary-keys.ts';

/**
 * An organization's leads by ascending id, in pages of up to a megabyte. Every lead that exists from the start of the scan to its end is
 * in exactly one page, as it is when it is read. Consistent reads, about one read unit per 4 KB of leads.
 * @param after only leads with higher ids
 */
export async function* scanLeadsAscending(
  table: Table,
  organizationId: number,
  { after, withArchived }: { readonly after: number; readonly withArchived: boolean },
): AsyncGenerator<Lead[]> {
  if (after >= limits.idMax) return;
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :leads AND sk > :after',
      ...(!withArchived && { FilterExpression: 'attribute_not_exists(archivedAt)' }),
      ExpressionAttributeValues: {
        ':leads': leadsPartitionKey(organizationId),
        ':after': leadSortKey(after),
      },
      ConsistentRead: true,
    },
  );
  for await (const { Items = [] } of pages)
    yield Items.map((item) => leadFrom(organizationId, item));
}
