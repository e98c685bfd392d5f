import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import { putLead } from '../../../../shared/store/leads/leads.ts';
import { updateLead } from '../../../../shared/store/leads/update-lead.ts';
import { type LeadQuery, listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import type { Table } from '../../../../shared/store/table/client.ts';
import { longestChain, type RecordedCall, totalUnits } from '../../../support/faults/calls.ts';
import { type DynamodbProxy, startDynamodbProxy } from '../../../support/faults/proxy.ts';
import { leadOf as newLead, storeListedLeads } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';
import { service } from '../../../support/service.ts';
import { table, tableOf } from '../../../support/table.ts';
import { unfilteredQuery } from './generated-table.ts';

const at = (seconds: number): string =>
  new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000).toISOString();

const leadOf = (organizationId: number, id: number, remarks: string, updatedAt = at(id)): Lead =>
  newLead(
    { organizationId, id, createdAt: at(0), updatedAt },
    { phone: `+9198${id}`, assigned_to: 7, source: 1, remarks },
  );

const store = async (lead: Lead): Promise<void> => {
  await table().client.send(
    new PutCommand({ TableName: table().name, Item: putLead(lead).Put?.Item }),
  );
};

/** A list requested through a proxy that records what it reads. */
async function recordedTable(): Promise<{ recorded: Table; proxy: DynamodbProxy }> {
  const { environment } = service();
  const proxy = await startDynamodbProxy(environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
  return {
    recorded: tableOf({ ...environment, AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint }),
    proxy,
  };
}

const query = (organizationId: number, different: Partial<LeadQuery>): LeadQuery => ({
  ...unfilteredQuery,
  organizationId,
  matches: ({ updatedAt }) => Date.parse(updatedAt) >= (different.updatedSince ?? 0),
  ...different,
});

/** As DynamoDB counts what it reads: 4 KB for a unit of a consistent read, 8 KB for one of an index. */
const bytesOf = (calls: readonly RecordedCall[]): number =>
  calls.reduce(
    (sum, { units, index }) => sum + units.reads * (index === undefined ? 4096 : 8192),
    0,
  );

describe.concurrent('21 leads, most of them as large as a lead can be', () => {
  /** Two organizations: the scans of one share what it may read in a second. */
  let organizationIds: readonly [number, number];
  const leadsOf = (organizationId: number): Lead[] =>
    Array.from({ length: 21 }, (_, index) =>
      leadOf(organizationId, index + 1, index % 3 === 0 ? 'short' : 'r'.repeat(345_000)),
    );
  beforeAll(async () => {
    const [one, other] = await Promise.all([givenOrganization(), givenOrganization()]);
    organizationIds = [one.id, other.id];
    for (const organizationId of organizationIds)
      await storeListedLeads(table(), leadsOf(organizationId));
  });

  test.each([
    { by: 'nothing', different: {} },
    { by: 'an owner', different: { ownerId: 7 } },
    { by: 'an owner and a stage', different: { ownerId: 7, stageIds: [11, 12] } },
    { by: 'the time of change', different: { updatedSince: Date.parse(at(5)) } },
    { by: 'what none has', different: { matches: () => false }, inOther: true },
    { by: 'an owner and what none has', different: { ownerId: 7, matches: () => false } },
  ])(
    'no page of the largest leads, by $by, reads more than 4 MB, and the walk finds all',
    async ({ different, inOther }) => {
      const organizationId = organizationIds[inOther ? 1 : 0];
      const { recorded, proxy } = await recordedTable();

      const found: number[] = [];
      let cursor: number | undefined;
      do {
        const asked = query(organizationId, {
          ...different,
          ...(cursor !== undefined && { cursor }),
        });
        const { result, calls } = await proxy.record(() => listLeads(recorded, asked));
        expect(bytesOf(calls)).toBeLessThanOrEqual(4_000_000);
        found.push(...result.leads.map((lead) => lead.id));
        cursor = result.nextCursor ?? undefined;
      } while (cursor !== undefined);

      const { matches } = query(organizationId, different);
      expect(found).toEqual(
        leadsOf(organizationId)
          .filter(matches)
          .reverse()
          .map((lead) => lead.id),
      );
      await proxy.stop();
    },
  );
});

test('the next page of a list by time reads only later changes, and finds those between the pages', async () => {
  const { id } = await givenOrganization();
  // The newest leads are unchanged, so that a scan would cost more than the changed ones by id.
  const old = Array.from({ length: 101 }, (_, index) => leadOf(id, 40_000 - index, 'old', at(0)));
  const changed = Array.from({ length: 1100 }, (_, index) =>
    leadOf(id, (index + 1) * 10, 'changed', at(1000 + index)),
  );
  await storeListedLeads(table(), [...old, ...changed]);
  const { recorded, proxy } = await recordedTable();
  const asked = { limit: 100, updatedSince: Date.parse(at(1000)) };
  const first = await listLeads(recorded, query(id, asked));

  await store(leadOf(id, 11, 'changed meanwhile', at(5000)));
  const found = first.leads.map((lead) => lead.id);
  const indexUnits: number[] = [];
  const walked: number[] = [];
  let cursor = first.nextCursor;
  while (cursor !== null) {
    const { result, calls } = await proxy.record(() =>
      listLeads(recorded, query(id, { ...asked, cursor: cursor ?? undefined })),
    );
    walked.push(
      calls.filter(({ operation, index }) => operation === 'Query' && index === undefined).length,
    );
    indexUnits.push(
      ...calls.filter(({ index }) => index !== undefined).map(({ units }) => units.reads),
    );
    found.push(...result.leads.map((lead) => lead.id));
    cursor = result.nextCursor;
  }

  const expected = [11, ...changed.map((lead) => lead.id)].sort((a, b) => b - a);
  expect(found).toEqual(expected);
  // The second page reads what the first did not need.
  expect(Math.max(...indexUnits.slice(1))).toBeLessThanOrEqual(0.5);
  expect(walked).toEqual(walked.map(() => 0));
  await proxy.stop();
});

test('a list by time begins at the highest changed lead, however many newer leads did not change', async () => {
  const { id } = await givenOrganization();
  const changed = Array.from({ length: 10 }, (_, index) =>
    leadOf(id, index + 1, 'changed', at(1000)),
  );
  const old = Array.from({ length: 60 }, (_, index) => leadOf(id, 40_000 - index, 'old', at(0)));
  await storeListedLeads(table(), [...old, ...changed]);
  const { recorded, proxy } = await recordedTable();
  const asked = query(id, { updatedSince: Date.parse(at(1000)) });

  const { result, calls } = await proxy.record(() => listLeads(recorded, asked));

  expect(result.leads.map((lead) => lead.id)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect(result.nextCursor).toBeNull();
  expect(calls).toHaveLength(2);
  await proxy.stop();
});

/** An organization's leads 1 to 60, of which some have just moved to another stage. */
async function movedLeads(moved: readonly number[]) {
  const { id } = await givenOrganization();
  const leads = Array.from({ length: 60 }, (_, index) => leadOf(id, index + 1, 'short'));
  await storeListedLeads(table(), leads);
  const { recorded, proxy } = await recordedTable();
  for (const before of leads.filter((lead) => moved.includes(lead.id))) {
    const now = new Date().toISOString();
    const entry = {
      type: 'lead_updated',
      at: now,
      actorId: 7,
      via: 'api',
      keyId: 'k',
      changes: [],
    } as const;
    expect(
      await updateLead(recorded, before, { ...before, stageId: 12, updatedAt: now }, entry),
    ).toEqual({ outcome: 'changed' });
  }
  return { id, recorded, proxy };
}

test('leads of other lists that just changed cost a read unit each, and no round trip', async () => {
  const { id, recorded, proxy } = await movedLeads([60, 41, 2]);
  proxy.latencyMs = 100;
  const asked = query(id, { stageIds: [11], matches: ({ stageId }) => stageId === 11 });

  const { result, calls } = await proxy.record(() => listLeads(recorded, asked));

  expect(result.leads).toHaveLength(25);
  expect(longestChain(calls)).toBe(2);
  // 26 of the stage, the two that are in the page's range, and half a unit for each index.
  expect(totalUnits(calls).reads).toBeLessThanOrEqual(26 + 2 + 1);
  await proxy.stop();
});
