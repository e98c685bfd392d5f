import { PutCommand } from '@aws-sdk/lib-dynamodb';
import { expect, test } from 'vitest';
import type { Lead } from '../../../shared/leads/lead.ts';
import { openTable, type Table } from '../../../shared/store/client.ts';
import { type ListQuestion, listLeads } from '../../../shared/store/lead-lists.ts';
import { putLead } from '../../../shared/store/leads.ts';
import type { RecordedCall } from '../../support/dynamodb-calls.ts';
import { type DynamodbProxy, startDynamodbProxy } from '../../support/dynamodb-proxy.ts';
import { givenOrganization, table } from '../../support/given.ts';
import { service } from '../../support/service.ts';
import { storeLeads } from '../../support/stored-leads.ts';

const at = (seconds: number): string => new Date(Date.parse('2026-01-01T00:00:00Z') + seconds * 1000).toISOString();

function leadOf(organizationId: number, id: number, remarks: string, updatedAt = at(id)): Lead {
  const fields = { name: `Lead ${id}`, phone: `+9198${id}`, lead_type: 'student', assigned_to: 7, source: 1, remarks };
  return { id, organizationId, version: 1, fields, stageId: 11, pipelineId: 1, createdAt: at(0), updatedAt };
}

const store = async (lead: Lead): Promise<void> => {
  await table().client.send(new PutCommand({ TableName: table().name, Item: putLead(table(), lead).Put?.Item }));
};

/** A list asked through a proxy that records what it reads. */
async function recordedTable(): Promise<{ recorded: Table; proxy: DynamodbProxy }> {
  const endpoint = service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '';
  const proxy = await startDynamodbProxy(endpoint);
  table(); // takes credentials and region from the service's environment
  return { recorded: openTable(table().name, { endpoint: proxy.endpoint }), proxy };
}

const question = (organizationId: number, different: Partial<ListQuestion>): ListQuestion => ({
  organizationId,
  limit: 25,
  cursor: undefined,
  stageIds: undefined,
  ownerId: undefined,
  sourceId: undefined,
  updatedSince: undefined,
  matches: ({ updatedAt }) => Date.parse(updatedAt) >= (different.updatedSince ?? 0),
  hasRoom: () => true,
  ...different,
});

/** As DynamoDB counts what it reads: 4 KB for a unit of a consistent read, 8 KB for one of an index. */
const bytesOf = (calls: readonly RecordedCall[]): number =>
  calls.reduce((sum, { units, index }) => sum + units.reads * (index === undefined ? 4096 : 8192), 0);

test.each([
  { by: 'nothing', different: {} },
  { by: 'an owner', different: { ownerId: 7 } },
  { by: 'an owner and a stage', different: { ownerId: 7, stageIds: [11, 12] } },
  { by: 'the time of change', different: { updatedSince: Date.parse(at(15)) } },
  { by: 'what none has', different: { matches: () => false } },
  { by: 'an owner and what none has', different: { ownerId: 7, matches: () => false } },
])('no page of the largest leads, by $by, reads more than 4 MB, and the walk finds all', async ({ different }) => {
  const { id } = await givenOrganization();
  const leads = Array.from({ length: 30 }, (_, index) => leadOf(id, index + 1, index % 3 === 0 ? 'short' : 'r'.repeat(345_000)));
  for (const lead of leads) await store(lead);
  const { recorded, proxy } = await recordedTable();

  const found: number[] = [];
  let cursor: number | undefined;
  do {
    const asked = question(id, { ...different, ...(cursor !== undefined && { cursor }) });
    const { result, calls } = await proxy.record(() => listLeads(recorded, asked));
    expect(bytesOf(calls)).toBeLessThanOrEqual(4_000_000);
    found.push(...result.leads.map((lead) => lead.id));
    cursor = result.nextCursor ?? undefined;
  } while (cursor !== undefined);

  const { matches } = question(id, different);
  expect(found).toEqual(
    leads
      .filter(matches)
      .reverse()
      .map((lead) => lead.id),
  );
  await proxy.stop();
});

test('the next page of a list by time reads of the index only what changed since, and finds what changed between the pages', async () => {
  const { id } = await givenOrganization();
  const last = 40_000; // so many leads that a few changed ones are looked up by their ids
  await store(leadOf(id, last, 'old', at(0)));
  const changed = Array.from({ length: 1200 }, (_, index) => leadOf(id, (index + 1) * 10, 'changed', at(1000 + index)));
  await storeLeads(table(), changed);
  const { recorded, proxy } = await recordedTable();
  const asked = { limit: 100, updatedSince: Date.parse(at(1000)) };
  const first = await listLeads(recorded, question(id, asked));

  await store(leadOf(id, 11, 'changed meanwhile', at(5000)));
  const found = first.leads.map((lead) => lead.id);
  const indexUnits: number[] = [];
  const walked: number[] = [];
  let cursor = first.nextCursor;
  while (cursor !== null) {
    const { result, calls } = await proxy.record(() =>
      listLeads(recorded, question(id, { ...asked, cursor: cursor ?? undefined })),
    );
    walked.push(calls.filter(({ operation, index }) => operation === 'Query' && index === undefined).length);
    indexUnits.push(...calls.filter(({ index }) => index !== undefined).map(({ units }) => units.reads));
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
