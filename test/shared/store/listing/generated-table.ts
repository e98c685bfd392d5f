import type { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { leadSortKey } from '../../../../shared/store/table/primary-keys.ts';
import { generatedLead, updatesOf } from '../../../bench/listing/generated-leads.ts';

const queryMaxBytes = 1_048_576;
const leadBytes = 800;
const entryBytes = 100;

/**
 * A table with the leads of `generatedLead` and their indexes by time of change and by owner, each made up when it is read: a million of
 * them cost nothing. Counts read units as DynamoDB does, and calls.
 */
export function generatedTable(
  organizationId: number,
  leads: number,
): { table: Table; units: () => number; calls: () => number } {
  let units = 0;
  let calls = 0;
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
    units += unitsOfEntries(positions.length);
    return {
      Items: positions.map(entryAt),
      LastEvaluatedKey: end < leads ? { position: end - 1 } : undefined,
    };
  };

  /** Of 2 owners, 7 has the even ids, 8 the odd ones; 9 and 10 have none. */
  const queryOwner = ({ Limit = leads, ExpressionAttributeValues }: QueryCommand['input']) => {
    const owner = Number(String(ExpressionAttributeValues?.[':value']).split('#').at(-1));
    const highest = Math.min(leads, Number(ExpressionAttributeValues?.[':below']) - 1);
    const first = highest - ((highest + owner + 1) % 2);
    const count = owner > 8 ? 0 : Math.max(0, Math.min(Limit, Math.ceil(first / 2)));
    units += unitsOfEntries(count);
    const lowest = first - 2 * (count - 1);
    return {
      Items: Array.from({ length: count }, (_, index) => ({ sk: leadSortKey(first - 2 * index) })),
      LastEvaluatedKey: lowest > 2 && owner <= 8 ? { sk: lowest } : undefined,
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
    calls += 1;
    if ('RequestItems' in input) {
      const keys = input.RequestItems?.leads?.Keys ?? [];
      units += keys.length;
      return { Responses: { leads: keys.map(({ sk }) => itemOf(Number(sk))) } };
    }
    const query = input as QueryCommand['input'];
    if (query.IndexName === undefined) return queryLeads(query);
    return query.IndexName === 'leadsByOwner' ? queryOwner(query) : queryIndex(query);
  };
  const counts = { units: () => units, calls: () => calls };
  return { table: Object.assign(table, { client: { send } }), ...counts };
}

const unitsOfEntries = (count: number): number =>
  Math.max(1, Math.ceil((count * entryBytes) / 4096)) / 2;
