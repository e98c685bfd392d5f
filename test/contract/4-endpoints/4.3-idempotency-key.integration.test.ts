import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { describe, expect, test } from 'vitest';
import { storedLeads } from '../../support/leads.ts';
import { useOrganization } from '../../support/organizations.ts';
import { person } from '../../support/people.ts';
import { service } from '../../support/service.ts';

const organization = useOrganization();

describe('4.3 INVALID_IDEMPOTENCY_KEY: longer than 200 characters, or not plain ASCII', () => {
  test.each([
    ['200 characters', 'k'.repeat(200)],
    ['one character', '~'],
    ['blanks within', 'a b'],
  ])('an idempotency key of %s is accepted', async (_, key) => {
    expect((await organization.capture(person(), key)).status).toBe(201);
  });

  test.each([
    ['201 characters', 'k'.repeat(201)],
    ['a letter of Latin-1', 'clé'],
    ['a tab', 'a\tb'],
  ])('an idempotency key of %s is refused', async (_, key) => {
    const before = await storedLeads(organization);

    const { status, body } = await organization.capture(person(), key);

    expect([status, body.error.code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
    expect(await storedLeads(organization)).toEqual(before);
  });

  test.each([
    ['empty', ['']],
    ['of another script, as UTF-8', [Buffer.from('चाबी').toString('latin1')]],
  ])('an idempotency key that is %s is refused', async (_, values) => {
    const { status, code } = await rawCapture(values);

    expect([status, code]).toEqual([400, 'INVALID_IDEMPOTENCY_KEY']);
  });

  test('a wrong idempotency key is refused before a wrong body', async () => {
    expect((await organization.capture({}, 'k'.repeat(201))).body.error.code).toBe(
      'INVALID_IDEMPOTENCY_KEY',
    );
  });
});

/** A capture with header values that fetch would not send. */
function rawCapture(values: string[]): Promise<{ status: number | undefined; code: string }> {
  const text = JSON.stringify(person());
  const { baseUrl } = service();
  const request = baseUrl.startsWith('https:') ? httpsRequest : httpRequest;
  return new Promise((resolve, reject) => {
    const sent = request(`${baseUrl}/api/v1/leads/capture`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${organization.website}`,
        'Content-Type': 'application/json',
        'Content-Length': Buffer.byteLength(text),
        'Idempotency-Key': values,
      },
    });
    sent.on('error', reject);
    sent.on('response', async (response) => {
      const chunks: Buffer[] = await response.toArray();
      resolve({
        status: response.statusCode,
        code: JSON.parse(Buffer.concat(chunks).toString()).error?.code,
      });
    });
    sent.end(text);
  });
}
