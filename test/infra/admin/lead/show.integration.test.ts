import { expect, test } from 'vitest';
import { adminJson, runAdmin } from '../../../support/admin.ts';
import { call } from '../../../support/call.ts';
import { givenLead } from '../../../support/leads.ts';
import { givenOrganization } from '../../../support/organizations.ts';

test('lead show prints a lead as the API returns it, and when it was archived', async () => {
  const organization = await givenOrganization();
  const { id } = await givenLead(organization, { fields: { city: 'Pune', source: 3 } });
  const args = ['--organization', String(organization.id), '--lead', String(id)];

  const live = await adminJson('lead', 'show', ...args);
  const { body } = await call('get-lead', { apiKey: organization.reader, leadId: id });
  await adminJson('lead', 'archive', ...args);
  const archived = await adminJson('lead', 'show', ...args);

  expect(live).toEqual({ lead: body.lead, archivedAt: null });
  expect(archived).toEqual({
    lead: { ...body.lead, updatedAt: archived.archivedAt },
    archivedAt: expect.stringMatching(/^20.*Z$/),
  });
});

test('lead show for people has a line for each value, with names beside IDs, on one line even if the text has control characters', async () => {
  const organization = await givenOrganization();
  const fields = {
    city: '\u001B[2JPune',
    source: 3,
    assigned_to: 8,
    interests: ['hostel', 'loan'],
  };
  const { id, name, phone } = await givenLead(organization, { fields });

  const { stdout } = await runAdmin([
    ...['lead', 'show', '--organization', String(organization.id), '--lead', String(id)],
  ]);

  expect(stdout.split('\n')).toEqual([
    `lead: ${id}`,
    `name: ${name}`,
    `phone: ${phone}`,
    expect.stringMatching(/^email: /),
    'source: 3 (Facebook Ads)',
    'assigned_to: 8 (Ravi Iyer)',
    'lead_type: student',
    'city: \uFFFD[2JPune',
    'interests: hostel, loan',
    'stage: 11 (New)',
    'pipeline: 1 (Admissions)',
    expect.stringMatching(/^created at: 20.*Z$/),
    expect.stringMatching(/^updated at: 20.*Z$/),
    '',
  ]);
});

test('lead show of a lead that does not exist is refused with its ID', async () => {
  const { id } = await givenOrganization();

  expect(
    await runAdmin(['lead', 'show', '--organization', String(id), '--lead', '99']),
  ).toMatchObject({ status: 1, stdout: '', stderr: `Organization ${id} has no lead 99.\n` });
});
