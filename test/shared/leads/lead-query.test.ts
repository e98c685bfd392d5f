import { expect, test } from 'vitest';
import { limits } from '../../../shared/contract/limits.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import {
  type ListParameters,
  leadQuery,
  requireFilters,
} from '../../../shared/leads/lead-query.ts';
import { leadOf } from '../../support/leads.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

const organization = sampleOrganization();
const updatedAt = '2026-03-01T10:00:00.000Z';
const lead = (own: Partial<Lead> = {}, fields = {}): Lead =>
  leadOf(
    { organizationId: 1, id: 5, createdAt: '2026-01-01T00:00:00.000Z', updatedAt, ...own },
    { phone: '+919876543210', source: 3, assigned_to: 7, ...fields },
  );

test.each<[ListParameters, boolean]>([
  [{}, true],
  [{ updated_since: Date.parse(updatedAt) }, true],
  [{ updated_since: Date.parse(updatedAt) + 1 }, false],
  [{ stage_id: 11 }, true],
  [{ stage_id: 12 }, false],
  [{ pipeline_id: 1 }, true],
  [{ pipeline_id: 2 }, false],
  [{ source_id: 3 }, true],
  [{ source_id: 1 }, false],
  [{ owner_id: 7 }, true],
  [{ owner_id: 8 }, false],
  [{ stage_id: 11, pipeline_id: 1, source_id: 3, owner_id: 8 }, false],
])('a list by %j has the lead: %s', (parameters, has) => {
  const of = (one: Lead, filter?: () => boolean) =>
    leadQuery(organization, parameters, filter).matches(one);

  expect(of(lead())).toBe(has);
  expect(of(lead({ archivedAt: updatedAt }))).toBe(false);
  expect(of(lead(), () => false)).toBe(false);
});

test.each<[ListParameters, readonly number[] | undefined]>([
  [{}, undefined],
  [{ stage_id: 12 }, [12]],
  [{ pipeline_id: 1 }, [11, 12]],
  [{ pipeline_id: 1, stage_id: 12 }, [12]],
  [{ pipeline_id: 1, stage_id: 21 }, []],
  [{ pipeline_id: 9 }, []],
])('a list by %j is in the lists of the stages %j', (parameters, stageIds) =>
  expect(leadQuery(organization, parameters).stageIds).toEqual(stageIds),
);

test('a query has the organization, the indexed parameters, and a page of 25 by default', () => {
  const parameters = { cursor: 9, owner_id: 7, source_id: 3, updated_since: 5 };
  const read = { organizationId: 1, cursor: 9, ownerId: 7, sourceId: 3, updatedSince: 5 };
  expect(leadQuery(organization, parameters)).toMatchObject({ ...read, limit: 25 });
  expect(leadQuery(organization, { limit: 1 }).limit).toBe(1);
});

test('a page has room for leads up to the bytes that Lambda may return, each quote escaped', () => {
  const bytes = 300_000;
  const { hasRoom } = leadQuery(organization, {});
  // A quote in a value takes four bytes: JSON in a string of JSON.
  const large = lead({}, { remarks: '"'.repeat(bytes / 4) });
  const admitted = Array.from({ length: 100 }, () => hasRoom(large)).filter(Boolean).length;
  expect(admitted).toBe(Math.floor(limits.responseMaxBytes / (bytes + 800)));
  expect(leadQuery(organization, {}).hasRoom(large)).toBe(true);
});

const named = { field: 'name', operator: 'contains', value: 'a' };
test('every wrong filter is named by its position, the first three in the message', async () => {
  const raw = [1, named, 2, 3, 4];

  const { code, message, details } = await refusalOf(() => requireFilters(organization, raw));

  expect([code, (details as { filters?: unknown }).filters]).toEqual([
    'INVALID_QUERY',
    [0, 2, 3, 4],
  ]);
  expect(message.match(/(?:^|\. )filter\[\d\] must/g)).toHaveLength(3);
});

test('more than ten filters are refused, whatever they are', async () => {
  const of = (count: number) => () => requireFilters(organization, Array(count).fill(named));
  expect(of(10)()({ name: 'Asha' })).toBe(true);
  const { message, details } = await refusalOf(of(30));
  expect(message).toContain('filter[10] exceeds the limit of 10 filters.');
  expect((details as { problems?: unknown[] }).problems).toHaveLength(11);
});
