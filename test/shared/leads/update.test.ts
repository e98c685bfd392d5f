import { expect, test } from 'vitest';
import { limits } from '../../../shared/contract/limits.ts';
import { changesBetween } from '../../../shared/leads/changes.ts';
import type { RawValue } from '../../../shared/leads/field-values.ts';
import type { Lead } from '../../../shared/leads/lead.ts';
import { type RequestedUpdate, updatedLead } from '../../../shared/leads/update.ts';
import { leadOf } from '../../support/leads.ts';
import { customField, sampleOrganization, sampleSettings } from '../../support/settings.ts';
import { refusalOf } from './refusal.ts';

const organization = sampleOrganization({
  fields: [...sampleSettings.fields, customField('needed', 'text', { requiredOnEdit: true })],
});
/** Its owner and its source are no longer active, nor is the field of its old notes. */
const before: Lead = leadOf(
  { organizationId: 1, id: 5, createdAt: '2026-01-01T00:00:00.000Z' },
  {
    ...{ phone: '+919876543210', name: 'Asha', city: 'Pune', interests: ['hostel', 'loan'] },
    ...{ needed: 'x', assigned_to: 9, source: 4, old_notes: 'x' },
  },
);
const now = new Date('2026-03-01T10:00:00.000Z');
const update = (requested: RequestedUpdate, of = before) =>
  updatedLead(organization, of, requested, now);
const change = (field: string, from: RawValue, to: RawValue) => ({ field, from, to });

test.each<[RequestedUpdate, object[]]>([
  [{}, []],
  [{ fields: { city: 'Pune', interests: ['hostel', 'loan'] } }, []],
  [{ fields: { assigned_to: 9, source: 4 } }, []],
  [{ fields: { interests: ['loan', 'hostel'] } }, []],
  [{ fields: { city: ' Delhi' } }, [change('city', 'Pune', 'Delhi')]],
  [
    { fields: { city: null, budget: '5' } },
    [change('city', 'Pune', null), change('budget', null, 5)],
  ],
  [{ fields: { budget: null } }, []],
  [{ stageId: 11 }, []],
  [{ stageId: 12 }, [change('stage', 11, 12)]],
  [{ pipelineId: 2 }, [change('stage', 11, 21), change('pipeline', 1, 2)]],
  [{ stageId: 21 }, [change('stage', 11, 21), change('pipeline', 1, 2)]],
])('an update of %j makes the changes %j', (requested, changes) => {
  const after = update(requested);
  expect(changesBetween(before, after)).toEqual(changes);
  expect(after).toMatchObject({ id: 5, version: 1, updatedAt: now.toISOString() });
});

test.each<[RequestedUpdate, Record<string, string>]>([
  [{ fields: { name: null } }, { name: 'required' }],
  [{ fields: { lead_type: '' } }, { lead_type: 'required' }],
  [{ fields: { needed: ' ' } }, { needed: 'required' }],
  [{ fields: { mentor: 9 } }, { mentor: 'user_not_active' }],
  [{ fields: { assigned_to: '9' } }, { assigned_to: 'owner_not_active' }],
  [{ fields: { old_notes: 'x' } }, { old_notes: 'unknown_field' }],
  [{ fields: { town: null } }, { town: 'unknown_field' }],
  [{ stageId: 99 }, { stageId: 'stage_not_found' }],
  [
    { fields: { phone: 'x', name: '' }, stageId: 12, pipelineId: 2 },
    { phone: 'invalid_phone', name: 'required', stageId: 'stage_not_in_pipeline' },
  ],
])('an update of %j is refused with %j', async (requested, reasons) =>
  expect((await refusalOf(() => update(requested))).details.reasons).toEqual(reasons),
);

test('a field that is required on edit but already empty may stay empty', () => {
  const { needed: _, ...fields } = before.fields;
  const empty = { ...before, fields: fields as Lead['fields'] };
  expect(changesBetween(empty, update({ fields: { needed: '' } }, empty))).toEqual([]);
});

test('an update that makes the lead too large is refused, naming the largest value that it sends', async () => {
  const full = {
    ...before,
    fields: { ...before.fields, remarks: 'x'.repeat(limits.leadMaxBytes - 500) },
  };
  const sent = { fields: { city: 'y'.repeat(500), portfolio: 'https://a.in' } };
  const { details } = await refusalOf(() => update(sent, full));
  expect(details.reasons).toEqual({ city: 'too_long' });
});
