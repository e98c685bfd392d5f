import { setImmediate as nextTick } from 'node:timers/promises';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { sampleOrganization } from '../../support/settings.ts';
import {
  given,
  keys,
  organizationAt,
  organizations,
  type Prefetch,
  send,
  settings,
} from './admit.ts';
import { bucketWith, callerWith, newApiKey } from './admitted.ts';

vi.mock('../../../shared/store/organizations/admission.ts');
vi.mock('../../../shared/store/organizations/organizations.ts');

describe('the cache of API keys', () => {
  test.each([
    ['is unknown', undefined],
    ['was revoked', callerWith({ revokedAt: '2026-01-01T00:00:00.000Z' })],
    ['has expired', callerWith({ expiresAt: 0 })],
  ])('refuses a key that %s again without DynamoDB, and names its caller', async (_, caller) => {
    keys.mockResolvedValue({ outcome: 'refused', caller });

    const sent = [await send(), await send(), await send()];

    expect(sent.map(({ code }) => code)).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED', 'UNAUTHORIZED']);
    expect(sent.map(({ call }) => call.caller)).toEqual([caller, caller, caller]);
    expect(keys).toHaveBeenCalledOnce();
    expect(organizations).not.toHaveBeenCalled();
  });

  test('has no entry for a mistyped key, which is refused without DynamoDB', async () => {
    given.apiKey = `${given.apiKey.slice(0, -1)}${given.apiKey.endsWith('0') ? '1' : '0'}`;

    expect((await send()).code).toBe('UNAUTHORIZED');
    expect(keys).not.toHaveBeenCalled();
  });
});

describe('the order of the two token buckets', () => {
  /** Whether admission asks for the organization's token before the key's is there. */
  async function isParallel(): Promise<boolean> {
    organizations.mockClear();
    let release = (): void => undefined;
    keys.mockImplementationOnce(async () => {
      await new Promise<void>((resolve) => {
        release = resolve;
      });
      return { outcome: 'admitted', caller: given.caller, bucket: bucketWith(500) };
    });
    const admitting = send();
    await nextTick();
    const before = organizations.mock.calls.length;
    release();
    await admitting;
    return before === 1;
  }

  test('of a cached key with a tenth of its tokens left: the key, then the organization', async () => {
    keys.mockResolvedValueOnce({
      outcome: 'admitted',
      caller: given.caller,
      bucket: bucketWith(60),
    });
    await send();

    expect(await isParallel()).toBe(false);
  });

  test('of a cached key whose window has ended: both in parallel', async () => {
    keys.mockResolvedValueOnce({
      outcome: 'admitted',
      caller: given.caller,
      bucket: bucketWith(1),
    });
    await send();
    vi.setSystemTime(Date.now() + 3_600_000);

    expect(await isParallel()).toBe(true);
  });

  test('a key that turns out to be revoked is refused, though its organization gave a token in parallel', async () => {
    await send();
    keys.mockResolvedValueOnce({ outcome: 'refused', caller: undefined });
    const { call, code } = await send();

    expect(code).toBe('UNAUTHORIZED');
    expect(call.responseHeaders).toEqual({});
  });
});

const exhaustedOrganization = () =>
  ({
    outcome: 'exhausted',
    bucket: bucketWith(0, 3000),
    settingsVersion: 1,
    leadSequence: 1,
  }) as const;

test('an exhausted organization’s cached keys are refused without DynamoDB until its window ends', async () => {
  const first = given.apiKey;
  await send();
  given.apiKey = newApiKey();
  organizations.mockResolvedValueOnce(exhaustedOrganization());
  const refused = await send();
  given.apiKey = first;
  const cached = await send();
  const calls = organizations.mock.calls.length;
  vi.setSystemTime(Date.now() + 3_600_000);
  const after = await send();

  expect([refused.code, cached.code, after.code]).toEqual([
    'RATE_LIMITED',
    'RATE_LIMITED',
    'admitted',
  ]);
  expect(calls).toBe(2);
});

test('a refusal by two exhausted buckets in the cache names the one whose window ends later', async () => {
  const bucket = { ...bucketWith(0), resetsAt: Date.now() + 60_000 };
  keys.mockResolvedValueOnce({ outcome: 'admitted', caller: given.caller, bucket });
  organizations.mockResolvedValueOnce(exhaustedOrganization());
  await send();
  const { call } = await send();

  expect(call.responseHeaders).toMatchObject({
    'RateLimit-Limit': '3000',
    'RateLimit-Reset': '3600',
    'Retry-After': '3600',
  });
  expect(keys).toHaveBeenCalledOnce();
});

describe('the prefetch of an endpoint', () => {
  const prefetch = vi.fn<Prefetch>();
  beforeEach(() => void prefetch.mockReset().mockResolvedValue('read'));

  test('runs with the settings seen last', async () => {
    await send();
    const { admitted } = await send({}, prefetch);

    expect(await admitted?.prefetched).toBe('read');
    expect(prefetch.mock.calls).toEqual([
      [
        {
          table: undefined,
          organizationId: given.caller.organizationId,
          keyId: given.caller.keyId,
          cachedOrganization: organizationAt(1),
        },
      ],
    ]);
  });

  test('does not run for a key without a scope of the endpoint', async () => {
    given.caller = { ...given.caller, scopes: ['leads.capture'] };
    const { error } = await send({}, prefetch);

    expect(error).toMatchObject({ code: 'FORBIDDEN', details: { scopes: ['leads.read'] } });
    expect(prefetch).not.toHaveBeenCalled();
  });

  test('that fails for a refused request is dropped, and ends no process as an unhandled rejection', async () => {
    const unhandled = vi.fn();
    process.on('unhandledRejection', unhandled);
    const failing: Prefetch = () => Promise.reject(new Error('DynamoDB is away.')); // a mock would handle the rejection
    organizations.mockResolvedValueOnce(exhaustedOrganization());
    const { code } = await send({}, failing);
    await nextTick();
    process.off('unhandledRejection', unhandled);

    expect(code).toBe('RATE_LIMITED');
    expect(unhandled).not.toHaveBeenCalled();
  });

  test('that fails is the endpoint’s to report: admission itself does not', async () => {
    prefetch.mockRejectedValue(new Error('DynamoDB is away.'));
    const { admitted, code } = await send({}, prefetch);

    expect(code).toBe('admitted');
    await expect(admitted?.prefetched).rejects.toThrow('DynamoDB is away.');
  });
});

test('a missing module is named before a missing scope', async () => {
  given.caller = { ...given.caller, scopes: ['leads.capture'] };
  settings.mockResolvedValue({ ...sampleOrganization({ modules: ['billing'] }), version: 1 });
  const { error } = await send();

  expect(error).toMatchObject({ code: 'FORBIDDEN', details: { module: 'crm' } });
});
