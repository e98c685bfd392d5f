import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../../support/call.ts';
import { givenLead } from '../../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../../support/organizations.ts';

/** What a leadId in an address may not be; schemas.test.ts has more. */
const noLeadIds = ['0', '2147483648', 'abc', '1%2F2', '%00', '%E0%A4%A', '__proto__'];

let organization: GivenOrganization;
let leadId: number;
beforeAll(async () => {
  organization = await givenOrganization();
  leadId = (await givenLead(organization)).id;
});

const get = (id: number | string) => call('get-lead', { apiKey: organization.reader, leadId: id });

describe('4.4 response: 200 with the lead', () => {
  test('get-lead answers 200 with the lead', async () => {
    const lead = await givenLead(organization);

    const { status, body } = await get(lead.id);

    expect([status, body]).toEqual([200, { lead }]);
  });

  test('get-lead reads a percent-encoded id', async () => {
    const encoded = String(leadId).replace(/\d/g, (digit) => `%3${digit}`);

    expect((await get(encoded)).body.lead.id).toBe(leadId);
  });

  test('get-lead ignores unknown parameters', async () => {
    const { status } = await call('get-lead', {
      apiKey: organization.reader,
      leadId,
      query: 'expand=all',
    });

    expect(status).toBe(200);
  });
});

describe('4.4 NOT_FOUND: no such lead in the organization, or archived', () => {
  const notFound = { error: { code: 'NOT_FOUND', message: expect.stringMatching(/\.$/) } };

  test.each(['2147483647', ...noLeadIds])('leadId %s', async (id) => {
    const { status, body } = await get(id);

    expect([status, body]).toEqual([404, notFound]);
  });
});

describe('4.5 and 4.6 NOT_FOUND: a leadId that no lead has', () => {
  test.each(['2147483647', ...noLeadIds])('leadId %s', async (id) => {
    const answers = [
      await call('update-lead', {
        apiKey: organization.writer,
        leadId: id,
        body: { fields: { city: 'Pune' } },
      }),
      await call('add-note', {
        apiKey: organization.writer,
        leadId: id,
        body: { text: 'Called.' },
      }),
    ];

    for (const { status, body } of answers)
      expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });
});
