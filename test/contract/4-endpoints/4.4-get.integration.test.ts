import { describe, expect, test } from 'vitest';
import { call } from '../../support/call.ts';
import { givenLead, useOrganizationWithLead } from '../../support/leads.ts';

/** What a leadId in an address may not be; schemas.test.ts has more. */
const noLeadIds = ['0', '2147483648', 'abc', '1%2F2', '%00', '%E0%A4%A', '__proto__'];

const organization = useOrganizationWithLead();

describe('4.4 response: 200 with the lead', () => {
  test('get-lead answers 200 with the lead', async () => {
    const lead = await givenLead(organization);

    const { status, body } = await organization.get(lead.id);

    expect([status, body]).toEqual([200, { lead }]);
  });

  test('get-lead reads a percent-encoded id', async () => {
    const encoded = String(organization.lead.id).replace(/\d/g, (digit) => `%3${digit}`);

    expect((await organization.get(encoded)).body.lead.id).toBe(organization.lead.id);
  });

  test('get-lead ignores unknown parameters', async () => {
    const { status } = await call('get-lead', {
      apiKey: organization.reader,
      leadId: organization.lead.id,
      query: 'expand=all',
    });

    expect(status).toBe(200);
  });
});

describe('4.4 NOT_FOUND: no such lead in the organization, or archived', () => {
  const notFound = { error: { code: 'NOT_FOUND', message: expect.stringMatching(/\.$/) } };

  test.each(['2147483647', ...noLeadIds])('leadId %s', async (id) => {
    const { status, body } = await organization.get(id);

    expect([status, body]).toEqual([404, notFound]);
  });
});

describe('4.5 and 4.6 NOT_FOUND: a leadId that no lead has', () => {
  test.each(['2147483647', ...noLeadIds])('leadId %s', async (id) => {
    const answers = [
      await organization.update(id, { fields: { city: 'Pune' } }),
      await organization.note(id, { text: 'Called.' }),
    ];

    for (const { status, body } of answers)
      expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });
});
