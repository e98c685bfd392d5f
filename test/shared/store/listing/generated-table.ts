import type { BatchGetCommand, QueryCommand } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import type { LeadQuery } from '../../../../shared/store/listing/lead-lists.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { leadSortKey } from '../../../../shared/store/table/primary-keys.ts';
import { leadOf as storedLead } from '../../../support/leads.ts';

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

/** What the generated leads have, by their id. */
export interface LeadShape {
  readonly ownerOf?: (id: number) => number;
  readonly sourceOf?: (id: number) => number;
  readonly remarks?: string;
  /** What DynamoDB counts for a lead. @default 800 */
  readonly bytesOf?: (id: number) => number;
}

const firstUpdate = Date.parse('2026-01-01T00:00:00Z');
/** A prime that divides no size: the leads changed last are spread evenly over all ids. */
const stride = 7919;
/** The changes of an organization's leads in their order, from position 0. */
export function updatesOf(leads: number): {
  idAt: (position: number) => number;
  timeAt: (position: number) => string;
  /** The position of the first change at or after a time. */
  firstFrom: (time: string) => number;
} {
  let inverse = 1;
  while ((inverse * stride) % leads !== 1) inverse += 1;
  return {
    idAt: (position) => (position * inverse) % leads || leads,
    timeAt: (position) => new Date(firstUpdate + position * 1000).toISOString(),
    firstFrom: (time) => Math.max(0, Math.ceil((Date.parse(time) - firstUpdate) / 1000)),
  };
}

/** The `updated_since` that just so many of the organization's leads fulfil. */
export const sinceOf = (changed: number, leads: number): string =>
  new Date(firstUpdate + (leads - changed) * 1000).toISOString();

/**
 * The lead with this id in an organization of so many; 800 bytes as DynamoDB counts them. Leads change one after the other, a second apart, in
 * an order that has nothing to do with their ids.
 */
function generatedLead(
  organizationId: number,
  id: number,
  leads: number,
  { ownerOf, sourceOf, remarks }: Required<Pick<LeadShape, 'ownerOf' | 'sourceOf' | 'remarks'>>,
): Lead {
  const createdAt = new Date(firstUpdate).toISOString();
  const updatedAt = new Date(firstUpdate + ((id * stride) % leads) * 1000).toISOString();
  return storedLead(
    { organizationId, id, createdAt, updatedAt, stageId: 11 + (id % 4) },
    {
      phone: `+9190${String(id).padStart(8, '0')}`,
      email: `lead${id}@example.com`,
      assigned_to: ownerOf(id),
      source: sourceOf(id),
      remarks,
    },
  );
}

/**
 * A table with the leads of `generatedLead` and their indexes by time of change, owner and source, each made up when it is read: a million
 * of them cost nothing. Counts read units as DynamoDB does, and calls.
 */
export function generatedTable(
  organizationId: number,
  leads: number,
  {
    ownerOf = (id) => 7 + (id % 2),
    sourceOf = (id) => 3 - 2 * (id % 2),
    remarks = 'Asked for the fee structure, hostel and loan; wants a call back in the evening. '.repeat(
      4,
    ),
    bytesOf = () => 800,
  }: LeadShape = {},
): { table: Table; leadOf: (id: number) => Lead; units: () => number; calls: () => number } {
  let units = 0;
  let calls = 0;
  const table = { name: 'leads' } as Table;
  const leadOf = (id: number): Lead =>
    generatedLead(organizationId, id, leads, { ownerOf, sourceOf, remarks });
  const itemOf = (id: number): Record<string, unknown> => putLead(leadOf(id)).Put?.Item ?? {};
  const updates = updatesOf(leads);
  const { largeKb } = itemOf(1);
  const entryOf = (id: number) => ({ sk: leadSortKey(id), largeKb });
  const entryAt = (position: number) => ({
    ...entryOf(updates.idAt(position)),
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
