import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { readFilters } from '../../../../shared/leads/filters.ts';
import type { FieldValue, Lead } from '../../../../shared/leads/lead.ts';
import { leadQuery } from '../../../../shared/leads/lead-query.ts';
import { listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { holds } from '../../../simulation/checker/check-reads.ts';
import type { Filter } from '../../../simulation/checker/refusals.ts';
import { leadOf, storeListedLeads } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';
import { sampleOrganization } from '../../../support/settings.ts';
import { filterFor, type ModelField, valueFor } from '../../leads/random-filters.ts';

// A scan waits for its pace.
vi.mock('node:timers/promises', () => ({
  setTimeout: async (ms: number) => void vi.setSystemTime(Date.now() + ms),
}));
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const ids = { user: [7, 8, 9], lead_source: [1, 3, 4] };
const start = Date.parse('2026-01-01T00:00:00Z');
const timeOf = (minutes: number): string => new Date(start + minutes * 60_000).toISOString();

const organization = sampleOrganization();
const fields: ModelField[] = organization.fields
  .filter(({ active }) => active)
  .map(({ key, type, options }) => ({ key, type, options: options.map(({ value }) => value) }));

/** Random leads with gaps between their ids, a tenth of them archived. */
function randomLeads(count: number, seed: number): Lead[] {
  const others = fields.filter(({ key }) => !['name', 'phone', 'email', 'lead_type'].includes(key));
  const shape = fc.record({
    values: fc.record(Object.fromEntries(others.map((field) => [field.key, valueFor(field, ids)]))),
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
        // The model of DynamoDB has no fractions.
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
const filters = fc.array(
  fc.constantFrom(...fields).chain((field) => filterFor(field, ids)),
  { maxLength: 2 },
);

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
