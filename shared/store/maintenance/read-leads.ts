import { paginateQuery, type QueryCommandInput } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../leads/lead.ts';
import { leadFrom } from '../leads/leads.ts';
import type { Table } from '../table/client.ts';
import { leadsPartitionKey } from '../table/primary-keys.ts';

/**
 * An organization's leads by ascending id, in pages of up to a megabyte. Every lead that exists from the start of the scan to its end is
 * in exactly one page, as it is when it is read. Consistent reads, about one read unit per 4 KB of leads.
 */
export const scanLeadsAscending = (
  table: Table,
  organizationId: number,
  { withArchived }: { readonly withArchived: boolean },
): AsyncGenerator<Lead[]> =>
  leadPages(table, organizationId, {
    ...(!withArchived && { FilterExpression: 'attribute_not_exists(archivedAt)' }),
  });

async function* leadPages(
  table: Table,
  organizationId: number,
  options: Pick<QueryCommandInput, 'FilterExpression' | 'ScanIndexForward' | 'Limit'>,
): AsyncGenerator<Lead[]> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :leads',
      ExpressionAttributeValues: { ':leads': leadsPartitionKey(organizationId) },
      ConsistentRead: true,
      ...options,
    },
  );
  for await (const { Items = [] } of pages)
    yield Items.map((item) => leadFrom(organizationId, item));
}

/** Leads in one query, where many are read to find a few. */
const readAtOnce = 1000;

export interface NewestLeadsQuery {
  readonly limit: number;
  /** Only archived, or only live leads. @default both */
  readonly archived?: boolean;
  readonly matches: (lead: Lead) => boolean;
  /** Called with the number of leads read so far. */
  readonly onProgress: (leadsRead: number) => void;
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
  { limit, archived, matches, onProgress }: NewestLeadsQuery,
): Promise<FoundLeads> {
  const pages = leadPages(table, organizationId, {
    ScanIndexForward: false,
    // Nearly every lead is live, so a list of live leads reads few others.
    Limit: archived === false ? Math.min(readAtOnce, limit + 1) : readAtOnce,
  });
  const leads: Lead[] = [];
  let leadsRead = 0;
  for await (const page of pages) {
    const isOfState = ({ archivedAt }: Lead): boolean =>
      archived === undefined || (archivedAt !== undefined) === archived;
    leads.push(...page.filter((lead) => isOfState(lead) && matches(lead)));
    leadsRead += page.length;
    onProgress(leadsRead);
    if (leads.length > limit) break;
  }
  return { leads: leads.slice(0, limit), more: leads.length > limit };
}
