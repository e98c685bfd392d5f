import { beforeAll, describe, expect, test } from 'vitest';
import { call } from '../support/call.ts';
import { storedLeads } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { service } from '../support/service.ts';

let organization: GivenOrganization;
beforeAll(async () => {
  organization = await givenOrganization();
});

describe('7 INVALID_JSON: a body that is not UTF-8', () => {
  test('a body that is not UTF-8 is refused with what to do, and nothing of it is stored', async () => {
    const response = await fetch(`${service().baseUrl}/api/v1/leads/capture`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${organization.website}`,
        'Content-Type': 'application/json; charset=iso-8859-1',
      },
      body: Buffer.from('{"name":"Zo\xeb","phone":"+919822055555"}', 'latin1'),
    });

    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([400, 'INVALID_JSON']);
    expect(error.message).toContain('Send UTF-8');
    expect(await storedLeads(organization)).toEqual([]);
  });

  test('a body with U+FFFD as an escape is stored as it was sent', async () => {
    const { body } = await call('create-lead', {
      apiKey: organization.writer,
      body: '{"fields":{"name":"Zo\\ufffd","phone":"+919822055556"}}',
    });

    expect(body.lead.name).toBe('Zo\ufffd');
  });
});
