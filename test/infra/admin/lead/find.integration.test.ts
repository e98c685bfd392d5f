import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';

test('leads are found by a part of their name, whatever its case and composition, archived or not, newest first', async () => {
  const organization = await givenOrganization();
  const one = await givenLead(organization, { fields: { name: 'Zo\u00eb M\u00fcller' } });
  const two = await givenLead(organization, { fields: { name: 'Anna Mu\u0308ller-Lund' } });
  await givenLead(organization, { fields: { name: 'Anna Miller' } });
  const own = ['--organization', String(organization.id)];
  await adminJson('lead', 'archive', ...own, '--lead', String(one.id));

  const found = await adminJson('lead', 'find', ...own, '--name', 'M\u00dcLLER');
  const first = await adminJson('lead', 'find', ...own, '--name', 'm\u00fcller', '--limit', '1');
  const none = await runAdmin(['lead', 'find', ...own, '--name', 'nobody']);

  expect(found).toEqual({
    items: [
      expect.objectContaining({ leadId: two.id, archived: false }),
      expect.objectContaining({ leadId: one.id, name: 'Zo\u00eb M\u00fcller', archived: true }),
    ],
    more: false,
  });
  expect(first).toMatchObject({ items: [{ leadId: two.id }], more: true });
  expect(none).toMatchObject({
    status: 0,
    stdout: `Organization ${organization.id} has no lead whose name contains "nobody".\n`,
  });
});
