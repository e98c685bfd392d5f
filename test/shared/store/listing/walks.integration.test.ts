import { UpdateCommand } from '@aws-sdk/lib-dynamodb';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import type { FieldValue, Lead } from '../../../../shared/leads/lead.ts';
import { usagePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { call } from '../../../support/call.ts';
import { filterFor, type ModelField, modelMatches, valueFor } from '../../../support/lead-model.ts';
import { type GivenOrganization, givenOrganization } from '../../../support/organizations.ts';
import { person } from '../../../support/people.ts';
import { storeListedLeads } from '../../../support/stored-leads.ts';
import { table } from '../../../support/table.ts';

const ids = { user: [7, 8, 9], lead_source: [1, 3, 4] };
const start = Date.parse('2026-01-01T00:00:00Z');

/** Random leads with gaps between their ids, a tenth of them archived. */
function randomLeads(organization: GivenOrganization, count: number, seed: number): Lead[] {
  const fields: ModelField[] = organization.settings.fields
    .filter(({ active, key }) => active && !['name', 'phone', 'email', 'lead_type'].includes(key))
    .map(({ key, type, options }) => ({ key, type, options: options.map(({ value }) => value) }));
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
      const at = new Date(start + minutes * 60_000).toISOString();
      const given = Object.fromEntries(
        Object.entries(values).filter(
          (entry): entry is [string, FieldValue] => entry[1] !== undefined,
        ),
      );
      const unique = {
        name: `Lead ${id}`,
        phone: `+9170${String(id).padStart(8, '0')}`,
        email: `lead${id}@example.com`,
        lead_type: 'student',
      };
      const lead = {
        id,
        organizationId: organization.id,
        version: 1,
        fields: { ...given, ...unique },
        stageId,
        pipelineId,
        createdAt: at,
        updatedAt: at,
      };
      return archived === 0 ? { ...lead, archivedAt: at } : lead;
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

const newestFirst = (leads: readonly Lead[]): number[] =>
  leads.map(({ id }) => id).sort((a, b) => b - a);
const numberOfLead = (lead: Lead, field: 'source' | 'assigned_to'): unknown => lead.fields[field];

describe('a list of 1,250 leads', () => {
  let organization: GivenOrganization;
  let leads: Lead[];
  let live: Lead[];

  beforeAll(async () => {
    organization = await givenOrganization();
    leads = randomLeads(organization, 1250, 42);
    live = leads.filter(({ archivedAt }) => archivedAt === undefined);
    await storeListedLeads(table(), leads);
    await table().client.send(
      new UpdateCommand({
        TableName: table().name,
        Key: { ...usagePrimaryKey(organization.id) },
        UpdateExpression: 'SET lastLeadId = :last',
        ExpressionAttributeValues: { ':last': 20_000 },
      }),
    );
  });

  const since = (minutes: number): string => new Date(start + minutes * 60_000).toISOString();
  const cases: [string, Record<string, string | number>, (lead: Lead) => boolean][] = [
    ['nothing', {}, () => true],
    ['a stage', { stage_id: 12 }, ({ stageId }) => stageId === 12],
    ['a pipeline', { pipeline_id: 1 }, ({ pipelineId }) => pipelineId === 1],
    ['a stage of another pipeline', { pipeline_id: 1, stage_id: 21 }, () => false],
    ['a source', { source_id: 3 }, (lead) => numberOfLead(lead, 'source') === 3],
    ['an owner', { owner_id: 8 }, (lead) => numberOfLead(lead, 'assigned_to') === 8],
    [
      'a stage, an owner and a source',
      { stage_id: 11, owner_id: 7, source_id: 1 },
      (lead) =>
        lead.stageId === 11 &&
        numberOfLead(lead, 'assigned_to') === 7 &&
        numberOfLead(lead, 'source') === 1,
    ],
    [
      'a pipeline and an owner',
      { pipeline_id: 2, owner_id: 9 },
      (lead) => lead.pipelineId === 2 && numberOfLead(lead, 'assigned_to') === 9,
    ],
    [
      'few changes',
      { updated_since: since(99_000) },
      ({ updatedAt }) => updatedAt >= since(99_000),
    ],
    [
      // More than the thousand that are always fetched by id.
      'many changes',
      { updated_since: since(5_000) },
      ({ updatedAt }) => updatedAt >= since(5_000),
    ],
    [
      'changes and a stage',
      { updated_since: since(90_000), stage_id: 21 },
      (lead) => lead.updatedAt >= since(90_000) && lead.stageId === 21,
    ],
    [
      'many changes and an owner',
      { updated_since: since(10), owner_id: 7 },
      (lead) => lead.updatedAt >= since(10) && numberOfLead(lead, 'assigned_to') === 7,
    ],
    ['no changes', { updated_since: '2030-01-01T00:00:00Z' }, () => false],
    [
      'a field filter that few pass',
      { filter: JSON.stringify([{ field: 'name', operator: 'contains', value: '77' }]) },
      (lead) => String(lead.fields.name).includes('77'),
    ],
    [
      'a field filter and a stage',
      { stage_id: 11, filter: JSON.stringify([{ field: 'wants_call', operator: 'is_true' }]) },
      (lead) => lead.stageId === 11 && lead.fields.wants_call === true,
    ],
  ];

  test.each(cases)(
    'by %s is exactly the matching leads, newest first, each once',
    async (_, query, matches) => {
      const found = await walk(organization.reader, { limit: 100, ...query });

      expect(found).toEqual(newestFirst(live.filter(matches)));
    },
  );

  // One of each way to read: the table, one index, the update index, several indexes. The simulator interleaves every list with every write.
  const ways = ['nothing', 'a stage', 'many changes', 'changes and a stage'];

  test.each(cases.filter(([by]) => ways.includes(by)))(
    'by %s stays complete while other requests create and update leads',
    async (_, query, matches) => {
      const { writer } = organization;
      let isWalking = true;
      const writing = (async () => {
        const created: number[] = [];
        while (isWalking && created.length < 40) {
          const answer = await call('create-lead', { apiKey: writer, body: { fields: person() } });
          created.push(answer.body?.lead?.id ?? 0);
          await call('update-lead', {
            apiKey: writer,
            leadId: created.at(-1) ?? 0,
            body: { fields: { city: `City ${created.length}` } },
          });
        }
      })();

      const found = await walk(organization.reader, { limit: 100, ...query });
      isWalking = false;
      await writing;

      const stored = new Set(leads.map(({ id }) => id));
      expect(found.filter((id) => stored.has(id))).toEqual(newestFirst(live.filter(matches)));
    },
  );
});

test('a walk finds what the model finds, for any leads, filter and page size', async () => {
  const organization = await givenOrganization();
  const leads = randomLeads(organization, 120, 7).map((lead) => ({
    ...lead,
    organizationId: organization.id,
  }));
  await storeListedLeads(table(), leads);
  const fields: ModelField[] = organization.settings.fields
    .filter(({ active }) => active)
    .map(({ key, type, options }) => ({ key, type, options: options.map(({ value }) => value) }));
  const filter = fc.constantFrom(...fields).chain((field) => filterFor(field, ids));
  const leadQuery = fc.record({
    filters: fc.array(filter, { maxLength: 2 }),
    limit: fc.integer({ min: 10, max: 100 }),
    stage: fc.option(fc.constantFrom(11, 12, 21)),
  });

  await fc.assert(
    fc.asyncProperty(leadQuery, async ({ filters, limit, stage }) => {
      const query = {
        limit,
        ...(filters.length > 0 && { filter: JSON.stringify(filters) }),
        ...(stage !== null && { stage_id: stage }),
      };
      const found = await walk(organization.reader, query);

      const expected = leads.filter(
        (lead) =>
          lead.archivedAt === undefined &&
          (stage === null || lead.stageId === stage) &&
          filters.every((one) => modelMatches(lead.fields, one)),
      );
      expect(found).toEqual(newestFirst(expected));
    }),
    { numRuns: 20 },
  );
});

test('the last page says so, also when it is full', async () => {
  const { writer, reader } = await givenOrganization();
  const created = [];
  for (let index = 0; index < 3; index += 1)
    created.push(
      (await call('create-lead', { apiKey: writer, body: { fields: person() } })).body.lead.id,
    );

  for (const query of [
    { limit: 3 },
    { limit: 3, stage_id: 11 },
    { limit: 3, updated_since: '2026-01-01T00:00:00Z' },
  ]) {
    const { body } = await call('list-leads', { apiKey: reader, query });
    expect(body.items).toHaveLength(3);
    expect(body.nextCursor).toBeNull();
  }
  const { body } = await call('list-leads', { apiKey: reader, query: { limit: 2 } });
  expect(body.nextCursor).toBe(created[1]);
});
