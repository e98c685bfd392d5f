import { DeleteCommand } from '@aws-sdk/lib-dynamodb';
import { beforeAll, describe, expect, test } from 'vitest';
import type { EndpointName } from '../../shared/endpoints.ts';
import { apiErrors } from '../../shared/errors.ts';
import { settingsPrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { setKeyBucket } from '../support/buckets.ts';
import { type CallOptions, call } from '../support/call.ts';
import { requestIdForm } from '../support/described.ts';
import { givenOrganizationWithoutKeys } from '../support/organizations.ts';
import { givenQuietOrganization, type QuietOrganization } from '../support/quiet-organization.ts';
import { goodRequests } from '../support/requests.ts';
import { table } from '../support/table.ts';
import { expectRefusal } from './refusal.ts';

let organization: QuietOrganization;
let leadId: number;
beforeAll(async () => {
  organization = await givenQuietOrganization();
  leadId = organization.lead.id;
});
const everyRequest = goodRequests.map((good) => [good.name, good] as const);
type Name = (typeof everyRequest)[number][0];

const refused = (name: EndpointName, request: CallOptions, status: number, code: string) =>
  expectRefusal({ organization, name, request }, status, code);

describe('7 error table: status of each code', () => {
  test.each([
    [400, 'KEY_IN_URL'],
    [400, 'INVALID_JSON'],
    [400, 'INVALID_QUERY'],
    [400, 'INVALID_IDEMPOTENCY_KEY'],

    [401, 'UNAUTHORIZED'],
    [403, 'FORBIDDEN'],
    [403, 'HTTPS_REQUIRED'],
    [404, 'NOT_FOUND'],
    [409, 'DUPLICATE_LEAD'],

    [409, 'IDEMPOTENCY_IN_PROGRESS'],
    [413, 'PAYLOAD_TOO_LARGE'],
    [415, 'UNSUPPORTED_MEDIA_TYPE'],

    [422, 'VALIDATION_FAILED'],
    [429, 'RATE_LIMITED'],
    [500, 'INTERNAL'],
    [503, 'NOT_READY'],
  ] as [number, keyof typeof apiErrors][])('the status %i belongs to %s', (status, code) => {
    expect(apiErrors[code].status).toBe(status);
  });

  test('the contract has 16 error codes and no others', () => {
    expect(Object.keys(apiErrors)).toHaveLength(16);
  });
});

describe('7 HTTPS_REQUIRED: a request made over plain HTTP', () => {
  test.each(everyRequest)(
    '%s is refused over plain HTTP with HTTPS_REQUIRED',
    (name, { request }) =>
      refused(
        name,
        { ...request(leadId), headers: { 'X-Forwarded-Proto': 'http' } },
        403,
        'HTTPS_REQUIRED',
      ),
  );
});

describe('7 KEY_IN_URL: a key, or a parameter such as api_key or token, in the URL', () => {
  test.each(everyRequest)(
    '%s with the parameter api_key is refused with KEY_IN_URL',
    (name, { request }) =>
      refused(name, { ...request(leadId), query: 'api_key=x' }, 400, 'KEY_IN_URL'),
  );

  test.each([
    'token',
    'access_token',
    'apikey',
    'apiKey',
    'API-KEY',
    'authorization',
    'x-api-key',
    'api%5Fkey',
    'token=',
  ])('a parameter %s is refused with KEY_IN_URL', (name) =>
    refused('list-users', { query: `${name}=x` }, 400, 'KEY_IN_URL'),
  );

  test.each<[string, (key: string) => string]>([
    ['as any parameter', (key) => `q=${key}`],
    ['as a parameter’s name', (key) => key],
    ['percent-encoded', (key) => `q=${key.replaceAll('_', '%5F')}`],
    ['within a parameter', (key) => `return=https://example.com/?k=${key}`],
  ])('a key %s is refused with KEY_IN_URL', (_, queryOf) =>
    refused('list-users', { query: queryOf(organization.reader) }, 400, 'KEY_IN_URL'),
  );

  test('a key in the path is refused with KEY_IN_URL', () =>
    refused('get-lead', { leadId: organization.reader }, 400, 'KEY_IN_URL'));

  test('the refusal of a key in the URL repeats neither the key nor the address', async () => {
    const { body } = await call('list-users', { query: `q=${organization.reader}` });

    expect(JSON.stringify(body)).not.toContain(organization.reader.slice(12));
  });

  test('a parameter with another name is not refused with KEY_IN_URL', async () => {
    expect(
      (await call('list-users', { apiKey: organization.reader, query: 'q=token&monkey=1' })).status,
    ).toBe(200);
  });
});

describe('7 RATE_LIMITED: on every endpoint, with Retry-After', () => {
  let apiKey: string;
  beforeAll(async () => {
    ({ key: apiKey } = await organization.key());
    await setKeyBucket(apiKey, { used: 600, windowEndsAt: Date.now() + 1_800_000 });
  });

  test.each(everyRequest)('%s answers RATE_LIMITED with Retry-After', async (name, { request }) => {
    await refused(name, { apiKey, ...request(leadId) }, 429, 'RATE_LIMITED');

    const { headers } = await call(name, { apiKey, ...request(leadId) });
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(1700);
    expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
  });
});

describe('7 INTERNAL: a failure on the service’s side, without its details', () => {
  let apiKey: string;
  beforeAll(async () => {
    const own = await givenOrganizationWithoutKeys();
    ({ key: apiKey } = await own.key());
    await table().client.send(
      new DeleteCommand({ TableName: table().name, Key: { ...settingsPrimaryKey(own.id) } }),
    );
  });

  test.each(everyRequest)(
    '%s of an organization whose settings are lost answers INTERNAL',
    async (name, { request }) => {
      const { status, body, headers } = await call(name, { apiKey, ...request(leadId) });

      expect([status, body]).toEqual([
        500,
        { error: { code: 'INTERNAL', message: apiErrors.INTERNAL.sentence } },
      ]);
      expect(headers.get('x-request-id')).toMatch(requestIdForm);
    },
  );
});

describe('5.6 and 7 order: what is checked before the key, then the key, then the scope, then the input', () => {
  const noKey = { apiKey: undefined };
  const json = { 'Content-Type': 'application/json' };
  const plain = { 'X-Forwarded-Proto': 'http' };
  const large = 'x'.repeat(100_001);

  test.each<[string, Name, () => CallOptions, string]>([
    [
      'plain HTTP before a key in the URL',
      'list-users',
      () => ({ ...noKey, query: 'token=x', headers: plain }),
      'HTTPS_REQUIRED',
    ],
    [
      'a key in the URL before the body',
      'create-lead',
      () => ({ ...noKey, query: 'token=x', body: large }),
      'KEY_IN_URL',
    ],
    [
      'body size before content type',
      'create-lead',
      () => ({ ...noKey, body: large, headers: { 'Content-Type': 'text/plain' } }),
      'PAYLOAD_TOO_LARGE',
    ],
    [
      'content type before JSON',
      'create-lead',
      () => ({ ...noKey, body: '{', headers: { 'Content-Type': 'text/plain' } }),
      'UNSUPPORTED_MEDIA_TYPE',
    ],
    [
      'JSON before the key',
      'create-lead',
      () => ({ ...noKey, body: '{', headers: json }),
      'INVALID_JSON',
    ],
    ['the key before the scope', 'create-lead', () => ({ apiKey: 'x', body: {} }), 'UNAUTHORIZED'],
    [
      'the key before the query',
      'list-leads',
      () => ({ ...noKey, query: 'limit=0' }),
      'UNAUTHORIZED',
    ],
    ['the key before a leadId', 'get-lead', () => ({ ...noKey, leadId: 'x' }), 'UNAUTHORIZED'],
    [
      'the key before an idempotency key',
      'capture-lead',
      () => ({ ...noKey, body: {}, headers: { 'Idempotency-Key': 'x'.repeat(201) } }),
      'UNAUTHORIZED',
    ],
    [
      'the scope before the body',
      'create-lead',
      () => ({ apiKey: organization.reader, body: {} }),
      'FORBIDDEN',
    ],
    [
      'the scope before the query',
      'list-leads',
      () => ({ apiKey: organization.website, query: 'limit=0' }),
      'FORBIDDEN',
    ],
    [
      'the scope before a leadId',
      'get-lead',
      () => ({ apiKey: organization.website, leadId: 'x' }),
      'FORBIDDEN',
    ],
    [
      'the leadId before the body',
      'update-lead',
      () => ({ leadId: 'x', body: { surprise: 1 } }),
      'NOT_FOUND',
    ],
    [
      'the body before whether there is the lead',
      'update-lead',
      () => ({ leadId: 2_000_000_000, body: { surprise: 1 } }),
      'VALIDATION_FAILED',
    ],
  ])('a request is checked in order: %s', (_, name, request, code) =>
    refused(name, request(), apiErrors[code as keyof typeof apiErrors].status, code),
  );
});
