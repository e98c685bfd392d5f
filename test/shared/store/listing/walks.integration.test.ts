import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { FieldValue, Lead } from '../../../../shared/leads/lead.ts';
import { call } from '../../../support/call.ts';
import { leadOf, storeListedLeads } from '../../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { table } from '../../../support/table.ts';
import {
  filterFor,
  type ModelField,
  type ModelFilter,
  modelMatches,
  valueFor,
} from '../../leads/lead-model.ts';

const ids = { user: [7, 8, 9], lead_source: [1, 3, 4] };
const start = Date.parse('2026-01-01T00:00:00Z');

const timeOf = (minutes: number): string => new Date(start + minutes * 60_000).toISOString();

const modelFields = ({ settings }: GivenOrganization): ModelField[] =>
  settings.fields
    .filter(({ active }) => active)
    .map(({ key, type, options }) => ({ key, type, options: options.map(({ value }) => value) }));

/** Random leads with gaps between their ids, a tenth of them archived. */
function randomLeads(organization: GivenOrganization, count: number, seed: number): Lead[] {
  const fields = modelFields(organization).filter(
    ({ key }) => !['name', 'phone', 'email', 'lead_type'].includes(key),
  );
  const values = fc.record(
    Object.fromEntries(fields.map((field) => [field.key, valueFor(field, ids)])),
  );
  const shape = fc.record({
    values,
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
      const given = Object.fromEntries(
        Object.entries(values).filter(
          (entry): entry is [string, FieldValue] => entry[1] !== undefined,
        ),
      );
      const phone = `+9170${String(id).padStart(8, '0')}`;
      return leadOf(
        {
          ...{ id, organizationId: organization.id, stageId, pipelineId, createdAt: at },
          ...(archived === 0 && { archivedAt: at }),
        },
        { ...given, phone, email: `lead${id}@example.com` },
      );
    });
}

/** Every id of a list, page by page; fails when a page repeats one or breaks the order. */
async function walk(
  apiKey: string,
  query: Readonly<Record<string, string | number>>,
): Promise<number[]> {
  const ids: number[] = [];
  let cursor: number | null = null;
  do {
    const answer = await call('list-leads', {
      apiKey,
      query: { ...query, ...(cursor !== null && { cursor }) },
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(200);
    for (const { id } of answer.body.items) ids.push(id);
    if (answer.body.nextCursor !== null)
      expect(answer.body.nextCursor).toBeLessThan(cursor ?? Number.POSITIVE_INFINITY);
    cursor = answer.body.nextCursor;
  } while (cursor !== null);
  expect(ids).toEqual([...new Set(ids)].sort((a, b) => b - a));
  return ids;
}

/** What a list may ask for at once; undefined for nothing. */
const queries = (filter: fc.Arbitrary<ModelFilter>) =>
  fc.record({
    filters: fc.array(filter, { maxLength: 2 }),
    limit: fc.integer({ min: 80, max: 100 }),
    stage_id: rarely(11, 12, 21),
    pipeline_id: rarely(1, 2),
    source_id: rarely(1, 3, 4),
    owner_id: rarely(7, 8, 9),
    // Few changes, more than are always fetched by id, all.
    since: rarely(99_000, 90_000, 5000, 10),
  });
const rarely = (...values: number[]) =>
  fc.option(fc.constantFrom(...values), { freq: 1, nil: undefined });

test('a walk finds what the model finds, for any leads, parameters, filters and page size', {
  timeout: 120_000,
}, async () => {
  const organization = await givenOrganization();
  const leads = randomLeads(organization, 1250, 42);
  await storeListedLeads(table(), leads);
  const fields = modelFields(organization);
  const filter = fc.constantFrom(...fields).chain((field) => filterFor(field, ids));

  await fc.assert(
    fc.asyncProperty(queries(filter), async ({ filters, since, ...asked }) => {
      const { limit, stage_id, pipeline_id, source_id, owner_id } = asked;
      const updatedSince = since === undefined ? '' : timeOf(since);
      const isEqual = (value: unknown, wanted: number | undefined) =>
        wanted === undefined || value === wanted;

      const found = await walk(organization.reader, {
        ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value !== undefined)),
        limit,
        ...(since !== undefined && { updated_since: updatedSince }),
        ...(filters.length > 0 && { filter: JSON.stringify(filters) }),
      });

      const expected = leads.filter(
        (lead) =>
          lead.archivedAt === undefined &&
          lead.updatedAt >= updatedSince &&
          isEqual(lead.stageId, stage_id) &&
          isEqual(lead.pipelineId, pipeline_id) &&
          isEqual(lead.fields.source, source_id) &&
          isEqual(lead.fields.assigned_to, owner_id) &&
          filters.every((one) => modelMatches(lead.fields, one)),
      );
      expect(found).toEqual(expected.map(({ id }) => id).sort((a, b) => b - a));
    }),
    { numRuns: 25 },
  );
});
