import { beforeAll, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../shared/endpoints.ts';
import { type CallOptions, call } from '../support/call.ts';
import { givenLead } from '../support/leads.ts';
import { type GivenOrganization, givenOrganization } from '../support/organizations.ts';
import { givenQuietOrganization, type QuietOrganization } from '../support/quiet-organization.ts';
import { bodyRequests, type goodRequests } from '../support/requests.ts';
import { service } from '../support/service.ts';
import { expectRefusal } from './refusal.ts';

let organization: GivenOrganization;
let leadId: number;
let quiet: QuietOrganization;
beforeAll(async () => {
  [organization, quiet] = await Promise.all([givenOrganization(), givenQuietOrganization()]);
  leadId = (await givenLead(organization)).id;
});
const everyBody = bodyRequests.map((good) => [good.name, good] as const);

const refused = (name: EndpointName, request: CallOptions, status: number, code: string) =>
  expectRefusal({ organization: quiet, name, request }, status, code);

describe('7 PAYLOAD_TOO_LARGE: a body over 100 KB (100000 bytes)', () => {
  const padded = (body: unknown, bytes: number): string => {
    const text = JSON.stringify(body);
    return `${text}${' '.repeat(bytes - Buffer.byteLength(text))}`;
  };

  test.each(everyBody)('%s accepts a body of 100000 bytes', async (name, { request, status }) => {
    const { body, ...rest } = request(leadId);

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

  test('the limit of a body counts bytes, not characters', async () => {
    const ofBytes = (bytes: number) => {
      const [head, tail] = JSON.stringify({ fields: { remarks: '|' } }).split('|');
      const text = head + 'न'.repeat((bytes - 25) / 3) + tail;
      expect(Buffer.byteLength(text)).toBe(bytes);
      return text;
    };

    const fits = await call('update-lead', {
      apiKey: organization.writer,
      leadId,
      body: ofBytes(100_000),
    });

    expect(fits.status).toBe(200);
    await refused(
      'update-lead',
      { leadId: quiet.lead.id, body: ofBytes(100_003) },
      413,
      'PAYLOAD_TOO_LARGE',
    );
  });
});

describe('7 UNSUPPORTED_MEDIA_TYPE: a body without Content-Type: application/json', () => {
  const withType = (good: (typeof goodRequests)[number], type: string) => ({
    ...good.request(quiet.lead.id),
    headers: { 'Content-Type': type },
  });

  test.each(everyBody)('%s refuses a body as text/plain', (name, good) =>
    refused(name, withType(good, 'text/plain'), 415, 'UNSUPPORTED_MEDIA_TYPE'),
  );

  test.each([
    'application/x-www-form-urlencoded',
    'multipart/form-data',
    'application/jsonp',
    'application/vnd.api+json',
    'json',
  ])('a body as %s is refused', (type) =>
    refused(
      'add-note',
      { leadId: quiet.lead.id, body: { text: 'x' }, headers: { 'Content-Type': type } },
      415,
      'UNSUPPORTED_MEDIA_TYPE',
    ),
  );

  test('a body without a content type is refused', async () => {
    const response = await fetch(`${service().baseUrl}/api/v1/leads`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${organization.writer}` },
      body: Buffer.from('{}'),
    });

    expect([
      response.status,
      ((await response.json()) as { error: { code: string } }).error.code,
    ]).toEqual([415, 'UNSUPPORTED_MEDIA_TYPE']);
  });

  test.each([
    'application/json',
    'Application/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
  ])('the content type %s is accepted', async (type) => {
    const request = { leadId, body: { text: 'x' }, headers: { 'Content-Type': type } };

    expect((await call('add-note', { apiKey: organization.writer, ...request })).status).toBe(201);
  });
});

describe('7 INVALID_JSON: a body that is not valid JSON', () => {
  test.each(everyBody)('%s refuses a body that is not valid JSON', (name, { request }) =>
    refused(name, { ...request(quiet.lead.id), body: '{"text":' }, 400, 'INVALID_JSON'),
  );

  test.each([
    '',
    ' ',
    '{',
    "{'text':'x'}",
    '{"text":"x",}',
    '{text:"x"}',
    '{"text":"x"}}',
    '{"text":NaN}',
    '{"text":"a\nb"}',
    '\ufeff{"text":"x"}',
    'text=x',
  ])('a body that is not valid JSON is refused: %j', (body) =>
    refused(
      'add-note',
      { leadId: quiet.lead.id, body, headers: { 'Content-Type': 'application/json' } },
      400,
      'INVALID_JSON',
    ),
  );
});
