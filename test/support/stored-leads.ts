import { BatchWriteCommand } from '@aws-sdk/lib-dynamodb';
import type { Lead } from '../../shared/leads/lead.ts';
import { putIdentities } from '../../shared/store/leads/identities.ts';
import { putLead } from '../../shared/store/leads/leads.ts';
import { putTimelineEntry } from '../../shared/store/leads/timeline.ts';
import type { Table } from '../../shared/store/table/client.ts';

const batchMax = 25;
const parallelBatches = 8;

/** Writes leads as a create does (lead, identity items, first timeline entry), in batches and without the service. */
export const storeLeads = (table: Table, leads: readonly Lead[]): Promise<void> =>
  storeItems(
    table,
    leads
      .flatMap((lead) => [
        putLead(table, lead),
        ...putIdentities(table, lead),
        putTimelineEntry(table, lead, {
          type: 'lead_created',
          at: lead.createdAt,
          actorId: 7,
          via: 'api',
          keyId: 'stored',
        }),
      ])
      .map(({ Put }) => Put?.Item as Record<string, unknown>),
  );

/** Writes the leads alone, without identities and timelines: all that a list reads. */
export const storeListedLeads = (table: Table, leads: readonly Lead[]): Promise<void> =>
  storeItems(
    table,
    leads.map((lead) => putLead(table, lead).Put?.Item as Record<string, unknown>),
  );

/** Writes items as they are, in batches. */
export async function storeItems(
  table: Table,
  items: readonly Record<string, unknown>[],
): Promise<void> {
  const requests = items.map((Item) => ({ PutRequest: { Item } }));
  const batches = Array.from({ length: Math.ceil(items.length / batchMax) }, (_, index) =>
    requests.slice(index * batchMax, (index + 1) * batchMax),
  );
  while (batches.length > 0) {
    await Promise.all(
      batches
        .splice(0, parallelBatches)
        .map((batch) =>
          table.client.send(new BatchWriteCommand({ RequestItems: { [table.name]: batch } })),
        ),
    );
  }
}
