import { describe, expect, test } from 'vitest';
import type { EndpointName } from '../../shared/endpoints.ts';
import { type CallOptions, call } from '../support/call.ts';
import { useOrganizationWithLead } from '../support/leads.ts';
import { bodyRequests, type goodRequests } from '../support/requests.ts';
import { service } from '../support/service.ts';
import { expectRefusal } from './refusal.ts';

const organization = useOrganizationWithLead();
const quiet = useOrganizationWithLead();
const everyBody = bodyRequests.map((good) => [good.name, good] as const);

const refused = (name: EndpointName, request: CallOptions, status: number, code: string) =>
  expectRefusal({ organization: quiet, name, request }, status, code);

describe('7 PAYLOAD_TOO_LARGE: a body over 100 KB (100000 bytes)', () => {
  const padded = (body: unknown, bytes: number): string => {
    const text = JSON.stringify(body);
    return `${text}${' '.repeat(bytes - Buffer.byteLength(text))}`;
  };

  test.each(everyBody)('%s accepts a body of 100000 bytes', async (name, { request, status }) => {
    const { body, ...rest } = request(organization.lead.id);

    const answer = await call(name, {
      apiKey: organization.writer,
      ...rest,
      body: padded(body, 100_000),
    });

    expect(answer.status).toBe(status);
  });

  test.each(everyBody)('%s refuses a body of 100001 bytes', (name, { request }) => {
    const { body, ...rest } = request(quiet.lead.id);
    return refused(name, { ...rest, body: padded(body, 100_001) }, 413, 'PAYLOAD_TOO_LARGE');
  });

  test.each(everyBody)(
    '%s refuses a body of 7 MB, more than a function accepts',
    (name, { request }) => {
      const { body, ...rest } = request(quiet.lead.id);
      return refused(name, { ...rest, body: padded(body, 7_000_000) }, 413, 'PAYLOAD_TOO_LARGE');
    },
  );
});

describe('7 UNSUPPORTED_MEDIA_TYPE: a body without Content-Type: application/json', () => {
  const withType = (good: (typeof goodRequests)[number], type: string) => ({
    ...good.request(quiet.lead.id),
    headers: { 'Content-Type': type },
  });

  test.each(everyBody)('%s refuses a body as text/plain', (name, good) =>
    refused(name, withType(good, 'text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE'),
  );
});

describe('7 INVALID_JSON: a body that is not valid JSON', () => {
  test.each(everyBody)('%s refuses a body that is not valid JSON', (name, { request }) =>
    refused(name, { ...request(quiet.lead.id), body: '{"text":' }, 400, 'INVALID_JSON'),
  );
});

describe('7 INVALID_JSON: a body that is not UTF-8', () => {
  test('a body that is not UTF-8 is refused with what to do, and nothing of it is stored', async () => {
    const response = await fetch(`${service().baseUrl}/api/v1/leads/capture`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${quiet.website}`,
        'Content-Type': 'application/json; charset=iso-8859-1',
      },
      body: Buffer.from('{"name":"Zo\xeb","phone":"+919822055555"}', 'latin1'),
    });

    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect([response.status, error.code]).toEqual([400, 'INVALID_JSON']);
    expect(error.message).toContain('Send UTF-8');
    await quiet.expectUntouched();
  });
});

describe('7 VALIDATION_FAILED: no other properties, and nothing but an object', () => {
  test.each(everyBody)('%s refuses a property that it does not know', async (name, { request }) => {
    const { body, ...rest } = request(quiet.lead.id);

    for (const property of ['surprise', '__proto__', 'constructor']) {
      const changed = JSON.stringify(body).replace('{', `{"${property}":{},`);
      const answer = await call(name, { apiKey: quiet.writer, ...rest, body: changed });
      expect(Object.keys(answer.body.error.details.fields)).toEqual([property]);
    }
    await quiet.expectUntouched();
  });

  test.each(everyBody)('%s refuses a body that is not an object', (name, { request }) =>
    refused(name, { ...request(quiet.lead.id), body: '[]' }, 422, 'VALIDATION_FAILED'),
  );
});
