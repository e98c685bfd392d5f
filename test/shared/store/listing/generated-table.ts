import type { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import type { LeadQuery } from '../../../../shared/store/listing/lead-lists.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { leadSortKey } from '../../../../shared/store/table/primary-keys.ts';
import { generatedLead, updatesOf } from '../../../support/generated/leads.ts';

const queryMaxBytes = 1_048_576;
const entryBytes = 100;

/** A first page of all leads. */
export const unfilteredQuery = {
  limit: 25,
  cursor: undefined,
  stageIds: undefined,
  ownerId: undefined,
  sourceId: undefined,
  updatedSince: undefined,
  matches: () => true,
  hasRoom: () => true,
} satisfies Omit<LeadQuery, 'organizationId'>;

/** What leads have besides the fields of `generatedLead`, by their id. */
export interface LeadShape {
  readonly ownerOf?: (id: number) => number;
  readonly sourceOf?: (id: number) => number;
  /** What DynamoDB counts for a lead. @default 800 */
  readonly bytesOf?: (id: number) => number;
}

/**
 * A table with the leads of `generatedLead` and their indexes by time of change, owner and source. Each lead is generated when it is read,
 * so a million of them cost nothing. Counts read units as DynamoDB does, and calls.
 */
export function generatedTable(
  organizationId: number,
  leads: number,
  {
    ownerOf = (id) => 7 + (id % 2),
    sourceOf = (id) => 3 - 2 * (id % 2),
    bytesOf = () => 800,
  }: LeadShape = {},
): { table: Table; leadOf: (id: number) => Lead; units: () => number; calls: () => number } {
  let units = 0;
  let calls = 0;
  const table = { name: 'leads' } as Table;
  const leadOf = (id: number): Lead => {
    const { fields, ...lead } = generatedLead(organizationId, id, leads);
    const shape = { assigned_to: ownerOf(id), source: sourceOf(id) };
    return { ...lead, fields: { ...fields, ...shape } };
  };
  const itemOf = (id: number): Record<string, unknown> => putLead(leadOf(id)).Put?.Item ?? {};
  const updates = updatesOf(leads);
  const entryOf = (id: number) => ({ sk: leadSortKey(id) });
  const entryAt = (position: number) => ({
    ...entryOf(updates.idAt(position)),
    updatedAt: updates.timeAt(position),
  });

  const queryIndex = ({ Limit = leads, ExclusiveStartKey, ...input }: QueryCommand['input']) => {
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

  const queryList = (
    valueOf: (id: number) => number,
    { Limit = leads, ExpressionAttributeValues }: QueryCommand['input'],
  ) => {
    const value = Number(String(ExpressionAttributeValues?.[':value']).split('#').at(-1));
    const ids: number[] = [];
    for (
      let id = Math.min(leads, Number(ExpressionAttributeValues?.[':below']) - 1);
      id >= 1 && ids.length < Limit;
      id -= 1
    ) {
      if (valueOf(id) === value) ids.push(id);
    }
    units += unitsOfEntries(ids.length);
    return {
      Items: ids.map(entryOf),
      LastEvaluatedKey: ids.length === Limit ? { sk: ids.at(-1) } : undefined,
    };
  };

  const queryLeads = ({ Limit = leads, ExpressionAttributeValues }: QueryCommand['input']) => {
    const highest = Math.min(Number(ExpressionAttributeValues?.[':below']) - 1, leads);
    const ids: number[] = [];
    let bytes = 0;
    for (let id = highest; id >= 1 && ids.length < Limit; id -= 1) {
      if (bytes + bytesOf(id) > queryMaxBytes) break;
      bytes += bytesOf(id);
      ids.push(id);
    }
    const CapacityUnits = Math.max(1, Math.ceil(bytes / 4096));
    units += CapacityUnits;
    const next = highest - ids.length;
    return {
      Items: ids.map(itemOf),
      LastEvaluatedKey: next >= 1 ? { sk: next + 1 } : undefined,
      ConsumedCapacity: { CapacityUnits },
    };
  };

  const send = async ({ input }: QueryCommand | BatchGetCommand) => {
    calls += 1;
    if ('RequestItems' in input) {
      const keys = input.RequestItems?.leads?.Keys ?? [];
      const items = keys.map(({ sk }) => itemOf(Number(sk)));
      for (const item of items) units += Math.ceil(JSON.stringify(item).length / 4096);
      return { Responses: { leads: items } };
    }
    const query = input as QueryCommand['input'];
    if (query.IndexName === undefined) return queryLeads(query);
    if (query.IndexName === 'leadsByOwner') return queryList(ownerOf, query);
    return query.IndexName === 'leadsBySource' ? queryList(sourceOf, query) : queryIndex(query);
  };
  const counts = { leadOf, units: () => units, calls: () => calls };
  return { table: Object.assign(table, { client: { send } }), ...counts };
}

const unitsOfEntries = (count: number): number =>
  Math.max(1, Math.ceil((count * entryBytes) / 4096)) / 2;

/** Makes the clock jump over each pause, such as those with which a scan keeps its pace. */
export function skipPauses(): void {
  vi.useFakeTimers({ toFake: ['Date', 'setTimeout'], fakeNodeBuiltins: true });
  vi.setTimerTickMode('nextTimerAsync');
}
