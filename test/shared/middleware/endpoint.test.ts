import type { Context } from 'aws-lambda';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Scope } from '../../../shared/endpoints.ts';
import { endpoint } from '../../../shared/middleware/endpoint.ts';
import { leadIdPath, object, text } from '../../../shared/middleware/schemas.ts';
import {
  admitKey,
  admitOrganization,
  type Caller,
} from '../../../shared/store/organizations/admission.ts';
import { loadOrganization } from '../../../shared/store/organizations/organizations.ts';
import { sampleOrganization } from '../../support/settings.ts';
import { bucketWith, callerWith, newApiKey, newOrganizationId } from './admitted.ts';
import { type EventParts, requestEvent } from './event.ts';
import { keepLines, lines } from './logged-lines.ts';

vi.mock('../../../shared/store/organizations/admission.ts');
vi.mock('../../../shared/store/organizations/organizations.ts');

keepLines();

let caller: Caller;
beforeEach(() => {
  vi.stubEnv('LEADS_TABLE', 'table');
  vi.stubEnv('AWS_REGION', 'eu-central-1');
  caller = callerWith({ organizationId: newOrganizationId() });
  vi.mocked(admitKey).mockImplementation(async () => ({
    outcome: 'admitted',
    caller,
    bucket: bucketWith(500),
  }));
  vi.mocked(admitOrganization).mockImplementation(async () => ({
    outcome: 'admitted',
    bucket: bucketWith(2000, 3000),
    settingsVersion: 1,
    leadSequence: 41,
  }));
  vi.mocked(loadOrganization).mockImplementation(async () => ({
    ...sampleOrganization(),
    version: 1,
  }));
});
afterEach(() => void vi.unstubAllEnvs());

type Handler = ReturnType<typeof endpoint>;

async function send(handler: Handler, parts: EventParts = {}, remainingMs = 10_000) {
  const headers = {
    Authorization: `Bearer ${newApiKey()}`,
    'Content-Type': 'application/json',
    ...parts.headers,
  };
  const context = { getRemainingTimeInMillis: () => remainingMs } as Context;
  const { statusCode, body } = await handler(requestEvent({ ...parts, headers }), context);
  return {
    status: statusCode,
    body: JSON.parse(body) as { error?: { code: string } } & Record<string, unknown>,
  };
}

const body = object({ text: text(1, 10) });
const note = { pathParameters: { leadId: '5' }, body: '{"text":"Called."}' };

describe('what an endpoint receives', () => {
  test('is its input, the caller, the organization, the sequence and what it prefetched', async () => {
    const respond = vi.fn(async () => ({ status: 201, body: {} }));
    const handler = endpoint('add-note', {
      input: { path: leadIdPath, body },
      prefetch: async ({ input, organizationId, keyId }) => ({
        leadId: input.path.leadId,
        organizationId,
        keyId,
      }),
      respond,
    });

    expect((await send(handler, note)).status).toBe(201);
    expect(respond).toHaveBeenCalledWith({
      table: expect.anything(),
      requestId: 'request-1',
      input: { path: { leadId: 5 }, body: { text: 'Called.' } },
      caller,
      organization: expect.objectContaining({ version: 1 }),
      leadSequence: 41,
      prefetched: { leadId: 5, organizationId: caller.organizationId, keyId: caller.keyId },
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
  const handler = endpoint('add-note', { input: { path: leadIdPath, body }, prefetch, respond });

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
    const handler = endpoint('list-users', {
      input: {},
      prefetch: async () => {
        throw new Error('DynamoDB is away.');
      },
      respond: async () => ({ status: 200, body: {} }),
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
    await send(endpoint('list-users', { input: {}, respond }), {}, 520);
    const before = lines.length;
    fail(new Error('The call was broken off.'));
    await new Promise((resolve) => setImmediate(resolve));

    expect(lines).toHaveLength(before);
  });
});
