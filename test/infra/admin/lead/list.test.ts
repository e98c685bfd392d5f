import { expect, test } from 'vitest';
import { liveLeads } from '../../../../infra/admin/lead/list.ts';
import { leadQuery } from '../../../../shared/leads/lead-query.ts';
import { listLeads } from '../../../../shared/store/listing/lead-lists.ts';
import { leadOf, storeListedLeads } from '../../../support/leads.ts';
import { modelTable } from '../../../support/model-table.ts';
import { sampleOrganization } from '../../../support/settings.ts';

test('a list that ends where a page of the API is full says that there are more leads', async () => {
  const table = modelTable();
  const organization = sampleOrganization();
  const own = { organizationId: organization.id, createdAt: '2026-01-01T00:00:00.000Z' };
  const remarks = '"'.repeat(300_000); // a quote takes four bytes of a response
  const leads = [1, 2, 3, 4, 5, 6].map((id) =>
    leadOf({ ...own, id }, { phone: `+91700000000${id}`, remarks }),
  );
  await storeListedLeads(table, leads);
  const full = await listLeads(table, leadQuery(organization, { limit: leads.length }));

  const found = await liveLeads(table, organization, {}, full.leads.length);

  expect(found).toEqual({ leads: full.leads, more: true });
});
