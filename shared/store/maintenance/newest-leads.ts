import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../leads/lead.ts';
import { leadFrom } from '../leads/leads.ts';
import type { Table } from '../table/client.ts';
import { leadsPartitionKey } from '../table/primary-keys.ts';

/** Leads in one query, where many are read to find a few. */
const readAtOnce = 1000;

export interface NewestLeadsQuery {
  readonly limit: number;
  /** Only archived, or only live leads. @default both */
  readonly archived?: boolean;
  /** @default every lead */
  readonly matches?: (lead: Lead) => boolean;
  /** Called with the number of leads read so far. */
  readonly onProgress?: (leadsRead: number) => void;
}

export interface FoundLeads {
  readonly leads: readonly Lead[];
  /** Whether there are more than the limit. */
  readonly more: boolean;
}

/** The newest leads that match. Reads leads, newest first, until it has found enough, or all of them. Consistent. */
export async function newestLeads(
  table: Table,
  organizationId: number,
  { limit, archived, matches = () => true, onProgress }: NewestLeadsQuery,
): Promise<FoundLeads> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :leads',
      ExpressionAttributeValues: { ':leads': leadsPartitionKey(organizationId) },
      ScanIndexForward: false,
      ConsistentRead: true,
      // Nearly every lead is live, so a list of live leads reads few others.
      Limit: archived === false ? Math.min(readAtOnce, limit + 1) : readAtOnce,
    },
  );
  const leads: Lead[] = [];
  let leadsRead = 0;
  for await (const { Items = [] } of pages) {
    const page = Items.map((item) => leadFrom(organizationId, item));
    const isOfState = ({ archivedAt }: Lead): boolean =>
      archived === undefined || (archivedAt !== undefined) === archived;
    leads.push(...page.filter((lead) => isOfState(lead) && matches(lead)));
    leadsRead += page.length;
    onProgress?.(leadsRead);
    if (leads.length > limit) break;
  }
  return { leads: leads.slice(0, limit), more: leads.length > limit };
}
