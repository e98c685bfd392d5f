import { expect, test } from 'vitest';
import type { Lead } from '../../../../shared/leads/lead.ts';
import type { TimelineEntry } from '../../../../shared/leads/timeline.ts';
import { createLead } from '../../../../shared/store/leads/create-lead.ts';
import { updateLead } from '../../../../shared/store/leads/update-lead.ts';
import { getItem } from '../../../../shared/store/table/get-item.ts';
import { phonePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { leadOf, storeItems } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';

test('an update never deletes an item that makes a phone unique for another lead', async () => {
  const table = modelTable();
  const phone = phonePrimaryKey(1, '+919812345678');
  const own = { organizationId: 1, id: 5, createdAt: '2026-01-01T00:00:00.000Z' };
  const before: Lead = leadOf(own, { phone: '+919812345678' });
  const opening: TimelineEntry = {
    type: 'lead_created',
    via: 'api',
    keyId: 'k',
    actorId: 7,
    at: own.createdAt,
  };
  await createLead(table, () => ({ lead: before, opening }));
  await storeItems(table, [{ ...phone, leadId: 6 }]); // what `check` reports as a damaged table

  const after = { ...before, fields: { ...before.fields, phone: '+919812300000' } };
  const entry = { ...opening, type: 'lead_updated', changes: [] } as const;
  const result = await updateLead(
    table,
    before,
    { ...after, updatedAt: '2026-01-01T00:00:01.000Z' },
    entry,
  );

  expect(result.outcome).toBe('conflict');
  expect(await getItem(table, phone)).toMatchObject({ leadId: 6 });
});
