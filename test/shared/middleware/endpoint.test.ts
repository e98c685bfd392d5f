import { setImmediate as nextTick } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import {
  afterEach,
  beforeEach,
  describe,
  expect,
  type MockInstance,
  onTestFinished,
  test,
  vi,
} from 'vitest';
import { endpointNamed, type Scope } from '../../../shared/contract/endpoints.ts';
import { endpoint } from '../../../shared/middleware/endpoint.ts';
import { leadIdPath, object, text } from '../../../shared/middleware/schemas.ts';
import { apiKeyRandomBytes, mintApiKey } from '../../../shared/organization/api-key.ts';
import type { Bucket, Caller } from '../../../shared/store/organizations/admission.ts';
import * as admission from '../../../shared/store/organizations/admission.ts';
import * as settings from '../../../shared/store/organizations/organizations.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { type EventParts, requestEvent } from './event.ts';
import { caller as anyCaller, keepLines, lines } from './logged-lines.ts';

keepLines();

// What a request reads before its endpoint, without a table.
let keys: MockInstance<typeof admission.admitKey>;
let organizations: MockInstance<typeof admission.admitOrganization>;
let loadOrganization: MockInstance<typeof settings.loadOrganization>;
const hourMs = 3_600_000;
/** A bucket whose window ends in an hour. */
const bucketWith = (remaining: number, limit = 600): Bucket => ({
  owner: limit === 600 ? 'API key' : 'organization',
  limit,
  remaining,
  resetsAt: Date.now() + hourMs,
});
const ofOrganization = { settingsVersion: 1, leadSequence: 41 };
const exhausted = () => ({
  ...ofOrganization,
  outcome: 'exhausted' as const,
  bucket: bucketWith(0, 3000),
});

/** The key and the caller are new for each test, so that none meets what another one cached. */
let apiKey: string;
let caller: Caller;
let tests = 0;
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'] });
  vi.stubEnv('LEADS_TABLE', 'table');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  tests += 1;
  const bytes = Uint8Array.from({ length: apiKeyRandomBytes }, (_, at) => (tests >> at) & 1);
  apiKey = mintApiKey(bytes).key;
  caller = { ...anyCaller, organizationId: tests, scopes: ['leads.read', 'leads.write'] };
  keys = vi
    .spyOn(admission, 'admitKey')
    .mockImplementation(async () => ({ outcome: 'admitted', caller, bucket: bucketWith(500) }));
  organizations = vi.spyOn(admission, 'admitOrganization').mockImplementation(async () => ({
    ...ofOrganization,
    outcome: 'admitted',
    bucket: bucketWith(2000, 3000),
  }));
  loadOrganization = vi
    .spyOn(settings, 'loadOrganization')
    .mockImplementation(async () => ({ ...sampleOrganization(), version: 1 }));
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.useRealTimers();
});

type Handler = ReturnType<typeof endpoint>;
const ok = async () => ({ status: 200, body: {} });

async function send(handler: Handler, parts: EventParts = {}, remainingMs = 10_000) {
  const headers = {
    Authorization: `Bearer ${apiKey}`,
    'Content-Type': 'application/json',
    ...parts.headers,
  };
  const context = { getRemainingTimeInMillis: () => remainingMs } as Context;
  const { statusCode, body, ...more } = await handler(requestEvent({ ...parts, headers }), context);
  return {
    status: statusCode,
    headers: more.headers,
    body: JSON.parse(body) as { error?: { code: string } } & Record<string, unknown>,
  };
}

const body = object({ text: text(1, 10) });
const note = { pathParameters: { leadId: '5' }, body: '{"text":"Called."}' };

describe('what an endpoint receives', () => {
  test('is its input, the caller, the organization, the sequence and what it prefetched', async () => {
    const respond = vi.fn(async () => ({ status: 201, body: {} }));
    const handler = endpoint(endpointNamed('add-note'), {
      input: { path: leadIdPath, body },
      prefetch: async ({ input, organizationId, keyId, cachedOrganization }) => ({
        leadId: input.path.leadId,
        organizationId,
        keyId,
        version: cachedOrganization?.version,
      }),
      respond,
    });

    await send(handler, note); // from then on it knows the settings
    expect((await send(handler, note)).status).toBe(201);
    expect(respond).toHaveBeenLastCalledWith({
      table: expect.anything(),
      requestId: 'request-1',
      input: { path: { leadId: 5 }, body: { text: 'Called.' } },
      caller,
      organization: expect.objectContaining({ version: 1 }),
      leadSequence: 41,
      prefetched: {
        leadId: 5,
        organizationId: caller.organizationId,
        keyId: caller.keyId,
        version: 1,
      },
    });
  });
});

describe('the order of the stack', () => {
  const prefetch = vi.fn(async () => undefined);
  const respond = vi.fn(async () => ({ status: 201, body: {} }));
  beforeEach(() => {
    prefetch.mockClear();
    respond.mockClear();
  });
  const handler = endpoint(endpointNamed('add-note'), {
    input: { path: leadIdPath, body },
    prefetch,
    respond,
  });

  test.each<[string, EventParts, string, Scope[]?]>([
    [
      'plain HTTP before a missing key',
      { ...note, headers: { 'X-Forwarded-Proto': 'http', Authorization: '' } },
      'HTTPS_REQUIRED',
    ],
    [
      'JSON before a missing key',
      { ...note, body: '{', headers: { Authorization: '' } },
      'INVALID_JSON',
    ],
    [
      'the key before the input',
      { ...note, body: '{}', headers: { Authorization: '' } },
      'UNAUTHORIZED',
    ],
    ['the scopes before the input', { ...note, body: '{}' }, 'FORBIDDEN', ['leads.capture']],
    ['the scopes before the prefetch', note, 'FORBIDDEN', ['leads.capture']],
    ['the path before the body', { pathParameters: { leadId: 'x' }, body: '{}' }, 'NOT_FOUND'],
    ['the body before the endpoint', { ...note, body: '{}' }, 'VALIDATION_FAILED'],
  ])(
    'checks %s, and does not run the endpoint',
    async (_, parts, code, scopes = [...caller.scopes]) => {
      caller = { ...caller, scopes };

      expect((await send(handler, parts)).body.error?.code).toBe(code);
      expect(prefetch).not.toHaveBeenCalled();
      expect(respond).not.toHaveBeenCalled();
    },
  );
});

describe('the errors of an endpoint', () => {
  test('are INTERNAL where its prefetch fails, and are logged', async () => {
    const handler = endpoint(endpointNamed('list-users'), {
      input: {},
      prefetch: async () => {
        throw new Error('DynamoDB is away.');
      },
      respond: ok,
    });

    expect(await send(handler)).toMatchObject({
      status: 500,
      body: { error: { code: 'INTERNAL' } },
    });
    expect(lines.join('')).toContain('DynamoDB is away.');
  });

  test('that come after the deadline are not logged', async () => {
    let fail = (_: Error): void => undefined;
    const respond = () =>
      new Promise<never>((_, reject) => {
        fail = reject;
      });
    await send(endpoint(endpointNamed('list-users'), { input: {}, respond }), {}, 520);
    const before = lines.length;
    fail(new Error('The call was broken off.'));
    await nextTick();

    expect(lines).toHaveLength(before);
  });
});

const listUsers = endpoint(endpointNamed('list-users'), { input: {}, respond: ok });

describe('admission', () => {
  test('refuses a mistyped key without DynamoDB', async () => {
    apiKey = `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`;

    expect((await send(listUsers)).body.error?.code).toBe('UNAUTHORIZED');
    expect(keys).not.toHaveBeenCalled();
  });

  test('names a missing module before a missing scope', async () => {
    caller = { ...caller, scopes: ['leads.capture'] };
    const organization = { ...sampleOrganization({ modules: ['billing'] }), version: 1 };
    loadOrganization.mockResolvedValue(organization);

    expect((await send(listUsers)).body.error).toMatchObject({ details: { module: 'crm' } });
  });

  test('names, of two exhausted buckets in the cache, the one whose window ends later', async () => {
    const bucket = { ...bucketWith(0), resetsAt: Date.now() + 60_000 };
    keys.mockResolvedValueOnce({ outcome: 'admitted', caller, bucket });
    organizations.mockResolvedValueOnce(exhausted());
    await send(listUsers);

    const { body, headers } = await send(listUsers);
    expect(headers).toMatchObject({
      'RateLimit-Limit': '3000',
      'RateLimit-Reset': '3600',
      'Retry-After': '3600',
    });
    expect(body.error).toMatchObject({
      message: expect.stringMatching(/^The hourly limit of the organization \(3000\) is reached: /),
    });
    expect(keys).toHaveBeenCalledOnce();
  });

  test.each([
    ['with a tenth of its tokens left', false, 60, 0],
    ['with more', true, 61, 0],
    ['whose window has ended', true, 1, hourMs],
  ])(
    'takes tokens of a cached key %s and its organization in parallel: %s',
    async (_, isParallel, remaining, laterMs) => {
      keys.mockResolvedValueOnce({ outcome: 'admitted', caller, bucket: bucketWith(remaining) });
      await send(listUsers);
      vi.setSystemTime(Date.now() + laterMs);
      organizations.mockClear();
      keys.mockImplementationOnce(async () => {
        await nextTick();
        expect(organizations).toHaveBeenCalledTimes(isParallel ? 1 : 0);
        return { outcome: 'admitted', caller, bucket: bucketWith(500) };
      });

      expect((await send(listUsers)).status).toBe(200);
    },
  );

  test('drops the prefetch of a refused request, whose failure does not end the process', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    onTestFinished(() => void process.off('unhandledRejection', unhandled));
    const prefetch = () => Promise.reject(new Error('DynamoDB is away.')); // a mock would handle the rejection
    organizations.mockResolvedValueOnce(exhausted());
    const { status } = await send(
      endpoint(endpointNamed('list-users'), { input: {}, prefetch, respond: ok }),
    );
    await nextTick();

    expect(status).toBe(429);
    expect(unhandled).not.toHaveBeenCalled();
  });
});
