import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readFilters } from '../../../../shared/leads/filters.ts';
import type { FieldValue, Lead } from '../../../../shared/leads/lead.ts';
import { leadQuery } from '../../../../shared/leads/lead-query.ts';
import { updateLead } from '../../../../shared/store/leads/update-lead.ts';
import { type LeadQuery, listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { sendingThrough, type Table } from '../../../../shared/store/table/client.ts';
import { leadOf, storeListedLeads } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';
import type { Filter } from '../../../support/reference/filters.ts';
import { holds } from '../../../support/reference/filters.ts';
import { sampleOrganization } from '../../../support/settings.ts';
import { filterFor, sampleFields, valueFor } from '../../leads/random-filters.ts';
import { skipPauses, unfilteredQuery } from './generated-table.ts';

// A scan pauses to keep its pace.
beforeEach(skipPauses);
afterEach(() => void vi.useRealTimers());

const start = Date.parse('2026-01-01T00:00:00Z');
const timeOf = (minutes: number): string => new Date(start + minutes * 60_000).toISOString();

const organization = sampleOrganization();
const fields = sampleFields([7, 8, 9], [1, 3, 4]);

/** Random leads with gaps between their ids, a tenth of them archived. */
function randomLeads(count: number, seed: number): Lead[] {
  const others = fields.filter(({ key }) => !['name', 'phone', 'email', 'lead_type'].includes(key));
  const shape = fc.record({
    values: fc.record(Object.fromEntries(others.map((field) => [field.key, valueFor(field)]))),
    stage: fc.constantFrom([11, 1], [12, 1], [21, 2]),
    gap: fc.integer({ min: 1, max: 3 }),
    minutes: fc.nat(100_000),
    archived: fc.nat(9),
  });
  let id = 0;
  return fc
    .sample(shape, { numRuns: count, seed })
    .map(({ values, stage: [stageId = 0, pipelineId = 0], gap, minutes, archived }) => {
      id += gap;
      const at = timeOf(minutes);
      const given = Object.entries(values)
        .filter((entry): entry is [string, FieldValue] => entry[1] !== undefined)
        // The model of DynamoDB does not support fractions.
        .map(([key, value]) => [key, typeof value === 'number' ? Math.round(value) : value]);
      const phone = `+9170${String(id).padStart(8, '0')}`;
      return leadOf(
        {
          ...{ id, organizationId: organization.id, stageId, pipelineId, createdAt: at },
          ...(archived === 0 && { archivedAt: at }),
        },
        { ...Object.fromEntries(given), phone, email: `lead${id}@example.com` },
      );
    });
}

const rarely = (...values: number[]) =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...values) },
  );
/** What a list may ask for at once; undefined for nothing. */
const parameters = fc.record({
  limit: fc.integer({ min: 80, max: 100 }),
  stage_id: rarely(11, 12, 21),
  pipeline_id: rarely(1, 2),
  source_id: rarely(1, 3, 4),
  owner_id: rarely(7, 8, 9),
  // Few changes, more than are always fetched by id, all.
  updated_since: rarely(...[99_000, 90_000, 5000, 10].map((minutes) => start + minutes * 60_000)),
});
const filters = fc.array(fc.constantFrom(...fields).chain(filterFor), { maxLength: 2 });

test('a walk finds what the checker finds, for any leads, parameters, filters and page size', async () => {
  const table = modelTable();
  const leads = randomLeads(1250, 42);
  await storeListedLeads(table, leads);
  /** Every id of a list, page by page. */
  const walk = async (asked: Parameters<typeof leadQuery>[1], sent: Filter[]) => {
    const found: number[] = [];
    let cursor: number | null | undefined;
    while (cursor !== null) {
      const { filter } = readFilters(organization, sent);
      const query = leadQuery(organization, { ...asked, cursor }, filter);
      const page = await listLeads(table, query);
      found.push(...page.leads.map(({ id }) => id));
      if (page.nextCursor !== null) expect(page.nextCursor).toBeLessThan(cursor ?? Infinity);
      cursor = page.nextCursor;
    }
    return found;
  };
  const isEqual = (value: unknown, wanted: number | undefined) =>
    wanted === undefined || value === wanted;

  await fc.assert(
    fc.asyncProperty(parameters, filters, async (asked, sent) => {
      const { stage_id, pipeline_id, source_id, owner_id, updated_since = 0 } = asked;
      const expected = leads.filter(
        (lead) =>
          lead.archivedAt === undefined &&
          Date.parse(lead.updatedAt) >= updated_since &&
          isEqual(lead.stageId, stage_id) &&
          isEqual(lead.pipelineId, pipeline_id) &&
          isEqual(lead.fields.source, source_id) &&
          isEqual(lead.fields.assigned_to, owner_id) &&
          sent.every((one) => holds(one, { fields: lead.fields })),
      );

      expect(await walk(asked, sent)).toEqual(expected.map(({ id }) => id).reverse());
    }),
    { numRuns: 25 },
  );
});

interface RecordedCall {
  readonly index: string | undefined;
  readonly units: number;
  /** The length of the longest chain of calls that ends with this one. */
  readonly depth: number;
}

/** A table that records the reads sent to it. */
function recording(table: Table): { recorded: Table; calls: RecordedCall[] } {
  const calls: RecordedCall[] = [];
  const recorded = sendingThrough(table, (send) => async (command, options) => {
    const depth = 1 + Math.max(0, ...calls.map((call) => call.depth));
    const { IndexName: index } = Object.assign(command.input, {
      ReturnConsumedCapacity: 'TOTAL',
    }) as { IndexName?: string };
    const reply = await send(command, options);
    const { ConsumedCapacity } = reply as { ConsumedCapacity: { CapacityUnits: number } };
    const units = [ConsumedCapacity].flat().reduce((sum, one) => sum + one.CapacityUnits, 0);
    calls.push({ index, units, depth });
    return reply;
  });
  return { recorded, calls };
}

let organizationId = 100;
const leadsTable = async (count: number, leadFor: (id: number) => readonly [string, string]) => {
  organizationId += 1; // lists cache what they read of an organization
  const leads = Array.from({ length: count }, (_, index) => {
    const id = index + 1;
    const [updatedAt, remarks] = leadFor(id);
    const place = { organizationId, id, createdAt: timeOf(0), updatedAt };
    return leadOf(place, { phone: `+9198${id}`, assigned_to: 7, source: 1, remarks });
  });
  const table = modelTable();
  await storeListedLeads(table, leads);
  return { table, leads, ...recording(table) };
};
const query = (different: Partial<LeadQuery>): LeadQuery => ({
  ...unfilteredQuery,
  organizationId,
  matches: ({ updatedAt }) => Date.parse(updatedAt) >= (different.updatedSince ?? 0),
  ...different,
});

/** A query of a megabyte, or 26 leads of 345 KB. */
const batchMaxBytes = 26 * 350_000;

test.each([
  { by: 'nothing', different: {} },
  { by: 'an owner', different: { ownerId: 7 } },
  { by: 'an owner and a stage', different: { ownerId: 7, stageIds: [11, 12] } },
  { by: 'the time of change', different: { updatedSince: Date.parse(timeOf(5)) } },
  { by: 'a filter that no lead matches', different: { matches: () => false } },
  {
    by: 'an owner and a filter that no lead matches',
    different: { ownerId: 7, matches: () => false },
  },
])(
  'the largest leads by $by: a batch over 4 MB a page at most, and all found',
  async ({ different }) => {
    const { recorded, calls, leads } = await leadsTable(21, (id) => [
      timeOf(id),
      id % 3 === 1 ? 'short' : 'r'.repeat(345_000),
    ]);

    const found: number[] = [];
    for (let cursor: number | null | undefined; cursor !== null; calls.length = 0) {
      const page = await listLeads(recorded, query({ ...different, cursor: cursor ?? undefined }));
      // A unit of a consistent read is 4 KB, one of an index 8 KB.
      const bytes = calls.map(({ units, index }) => units * (index === undefined ? 4096 : 8192));
      expect(bytes.reduce((sum, one) => sum + one, 0)).toBeLessThan(4_000_000 + batchMaxBytes);
      found.push(...page.leads.map(({ id }) => id));
      cursor = page.nextCursor;
    }

    const { matches } = query(different);
    expect(found).toEqual(
      leads
        .filter(matches)
        .map(({ id }) => id)
        .reverse(),
    );
  },
);

test('a list by time starts at the highest changed lead, however many newer leads did not change', async () => {
  const { recorded, calls } = await leadsTable(70, (id) => [timeOf(id <= 10 ? 9 : 0), 'short']);

  const page = await listLeads(recorded, query({ updatedSince: Date.parse(timeOf(9)) }));

  expect(page.leads.map(({ id }) => id)).toEqual([10, 9, 8, 7, 6, 5, 4, 3, 2, 1]);
  expect([page.nextCursor, calls.length]).toEqual([null, 2]);
});

test('leads of other lists that just changed cost a read unit each, and no round trip', async () => {
  const { table, leads, recorded, calls } = await leadsTable(60, (id) => [timeOf(id), 'short']);
  for (const before of leads.filter(({ id }) => [60, 41, 2].includes(id))) {
    const at = new Date().toISOString();
    const by = { actorId: 7, via: 'api', keyId: 'k', changes: [] } as const;
    const after = { ...before, stageId: 12, updatedAt: at };
    await updateLead(table, before, after, { type: 'lead_updated', at, ...by });
  }

  const page = await listLeads(
    recorded,
    query({ stageIds: [11], matches: ({ stageId }) => stageId === 11 }),
  );

  expect(page.leads).toHaveLength(25);
  expect(Math.max(...calls.map(({ depth }) => depth))).toBe(2);
  // 26 of the stage, the two that are in the page's range, and half a unit for each index.
  expect(calls.reduce((sum, { units }) => sum + units, 0)).toBeLessThanOrEqual(26 + 2 + 1);
});

test('the next page of a list by time reads only later changes, and finds those between the pages', async () => {
  // The newest 101 leads are unchanged, so that a scan would cost more than the changed ones by id.
  const isChanged = (id: number): boolean => id % 10 === 0 && id <= 2000;
  const { table, recorded, calls } = await leadsTable(2101, (id) => [
    timeOf(isChanged(id) ? 1000 + id : 0),
    'short',
  ]);
  const asked = { limit: 50, updatedSince: Date.parse(timeOf(1000)) };
  const first = await listLeads(recorded, query(asked));

  const place = { organizationId, id: 11, createdAt: timeOf(0), updatedAt: timeOf(9000) };
  await storeListedLeads(table, [leadOf(place, { phone: '+9198' })]);
  calls.length = 0;
  const found = first.leads.map(({ id }) => id);
  for (let cursor = first.nextCursor; cursor !== null; ) {
    const page = await listLeads(recorded, query({ ...asked, cursor }));
    found.push(...page.leads.map(({ id }) => id));
    cursor = page.nextCursor;
  }

  const changed = Array.from({ length: 200 }, (_, index) => 10 * (index + 1));
  expect(found).toEqual([11, ...changed].sort((a, b) => b - a));
  const ofIndex = calls.filter(({ index }) => index !== undefined);
  expect(Math.max(...ofIndex.map(({ units }) => units))).toBeLessThanOrEqual(0.5);
});
