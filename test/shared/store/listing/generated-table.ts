import type { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { leadSortKey } from '../../../../shared/store/table/primary-keys.ts';
import { generatedLead, updatesOf } from '../../../bench/listing/generated-leads.ts';

const queryMaxBytes = 1_048_576;
const leadBytes = 800;
const entryBytes = 100;

/**
 * A table with the leads of `generatedLead` and their index by time of change, each made up when it is read: a million of them cost nothing.
 * Counts read units as DynamoDB does.
 */
export function generatedTable(
  organizationId: number,
  leads: number,
): { table: Table; units: () => number } {
  let units = 0;
  const table = { name: 'leads' } as Table;
  const itemOf = (id: number) => putLead(table, generatedLead(organizationId, id, leads)).Put?.Item;
  const updates = updatesOf(leads);
  const entryAt = (position: number) => ({
    sk: leadSortKey(updates.idAt(position)),
    updatedAt: updates.timeAt(position),
  });

  const queryIndex = ({ Limit = 0, ExclusiveStartKey, ...input }: QueryCommand['input']) => {
    const start = ExclusiveStartKey
      ? ExclusiveStartKey.position + 1
      : updates.firstFrom(input.ExpressionAttributeValues?.[':from']);
    const end = Math.min(leads, start + Math.min(Limit, Math.floor(queryMaxBytes / entryBytes)));
    const positions = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index);
    units += Math.max(1, Math.ceil((positions.length * entryBytes) / 4096)) / 2;
    return {
      Items: positions.map(entryAt),
      LastEvaluatedKey: end < leads ? { position: end - 1 } : undefined,
    };
  };

  const queryLeads = ({ Limit = leads, ExpressionAttributeValues }: QueryCommand['input']) => {
    const [from, to] = [':from', ':to'].map((name) => Number(ExpressionAttributeValues?.[name]));
    const highest = Math.min(to ?? 0, leads);
    const lowest = Math.max(from ?? 0, 1);
    const most = Math.min(Limit, Math.floor(queryMaxBytes / leadBytes));
    const count = Math.max(0, Math.min(most, highest - lowest + 1));
    const CapacityUnits = Math.max(1, Math.ceil((count * leadBytes) / 4096));
    units += CapacityUnits;
    return {
      Items: Array.from({ length: count }, (_, index) => itemOf(highest - index)),
      LastEvaluatedKey: highest - count >= lowest ? { sk: highest - count + 1 } : undefined,
      ConsumedCapacity: { CapacityUnits },
    };
  };

  const send = async ({ input }: QueryCommand | BatchGetCommand) => {
    if ('RequestItems' in input) {
      const keys = input.RequestItems?.leads?.Keys ?? [];
      units += keys.length;
      return { Responses: { leads: keys.map(({ sk }) => itemOf(Number(sk))) } };
    }
    const query = input as QueryCommand['input'];
    return query.IndexName === undefined ? queryLeads(query) : queryIndex(query);
  };
  return { table: Object.assign(table, { client: { send } }), units: () => units };
}
