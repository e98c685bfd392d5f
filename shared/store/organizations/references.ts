import { paginateQuery } from '@aws-sdk/lib-dynamodb';
import { limits } from '../../limits.ts';
import type { ReferencingLead, Removal } from '../../organization/removals.ts';
import type { Table } from '../table/client.ts';
import { getItem, itemsOf } from '../table/get-item.ts';
import { leadSortKey, leadsPartitionKey, usagePrimaryKey } from '../table/primary-keys.ts';
import { listApiKeys } from './api-keys.ts';

/** A removal that is blocked by existing references. */
export interface Reference {
  readonly removal: Removal;
  /** How many leads refer to the item, archived or not. */
  readonly leads: number;
  /** Of a user: the ids of the API keys they created, revoked ones too, because a key is always listed with its creator. */
  readonly keyIds: readonly string[];
}

/** Ranges of lead ids that are read in parallel. */
const parallelRanges = 4;

/**
 * The removals that existing leads or API keys block. Consistent reads of every lead of the organization and of its list of keys: about
 * one read unit per 4 KB of leads.
 */
export async function findReferences(
  table: Table,
  organizationId: number,
  removals: readonly Removal[],
): Promise<Reference[]> {
  if (removals.length === 0) return [];
  const [leads, apiKeys] = await Promise.all([
    countLeads(table, organizationId, removals),
    removals.some(({ userId }) => userId !== undefined) ? listApiKeys(table, organizationId) : [],
  ]);
  return removals
    .map((removal) => ({
      removal,
      leads: leads.get(removal) ?? 0,
      keyIds: apiKeys
        .filter(({ createdBy }) => createdBy === removal.userId)
        .map(({ keyId }) => keyId),
    }))
    .filter((reference) => reference.leads > 0 || reference.keyIds.length > 0);
}

async function countLeads(
  table: Table,
  organizationId: number,
  removals: readonly Removal[],
): Promise<Map<Removal, number>> {
  const counts = new Map<Removal, number>();
  const ranges = await idRanges(table, organizationId);
  await Promise.all(
    ranges.map(async ([from, to]) => {
      for await (const lead of leadsBetween(table, organizationId, from, to)) {
        for (const removal of removals) {
          if (removal.isReferencedBy(lead)) counts.set(removal, (counts.get(removal) ?? 0) + 1);
        }
      }
    }),
  );
  return counts;
}

/** Ids are assigned in sequence, so equal ranges have about as many leads. The last range is open, for leads created during the scan. */
async function idRanges(
  table: Table,
  organizationId: number,
): Promise<[from: number, to: number][]> {
  const usage = await getItem(table, usagePrimaryKey(organizationId));
  const width = Math.ceil((usage?.lastLeadId ?? 0) / parallelRanges) + 1;
  return Array.from({ length: parallelRanges }, (_, index) => [
    index * width,
    index === parallelRanges - 1 ? limits.idMax : (index + 1) * width - 1,
  ]);
}

async function* leadsBetween(
  table: Table,
  organizationId: number,
  from: number,
  to: number,
): AsyncGenerator<ReferencingLead> {
  const pages = paginateQuery(
    { client: table.client },
    {
      TableName: table.name,
      KeyConditionExpression: 'pk = :pk AND sk BETWEEN :from AND :to',
      ProjectionExpression: '#fields, stageId, pipelineId',
      ExpressionAttributeNames: { '#fields': 'fields' },
      ExpressionAttributeValues: {
        ':pk': leadsPartitionKey(organizationId),
        ':from': leadSortKey(from),
        ':to': leadSortKey(to),
      },
      ConsistentRead: true,
    },
  );
  for await (const { Items } of pages) yield* itemsOf<ReferencingLead>(Items);
}
