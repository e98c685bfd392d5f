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
const codes = async (times: number): Promise<string[]> => {
  const all: string[] = [];
  for (let left = times; left > 0; left -= 1) all.push((await send()).code);
  return all;
};

describe('what admission establishes', () => {
  test('is the caller, the organization and its lead sequence', async () => {
    const { admitted, call } = await send();

    expect(admitted).toEqual({
      caller: given.caller,
      organization: organizationAt(1),
      leadSequence: 41,
      prefetched: undefined,
    });
    expect(call.caller).toBe(given.caller);
  });
});

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

  test('refuses an exhausted key without DynamoDB until its window ends, and tells when', async () => {
    keys.mockResolvedValueOnce({
      outcome: 'exhausted',
      caller: given.caller,
      bucket: bucketWith(0),
    });
    const first = await send();
    vi.setSystemTime(Date.now() + 600_000);
    const second = await send();
    vi.setSystemTime(Date.now() + 3_000_000);
    const third = await send();

    expect([first.code, second.code, third.code]).toEqual([
      'RATE_LIMITED',
      'RATE_LIMITED',
      'admitted',
    ]);
    expect(second.call.responseHeaders).toMatchObject({
      'RateLimit-Remaining': '0',
      'Retry-After': '3000',
    });
    expect(second.call.caller).toBe(given.caller);
    expect(keys).toHaveBeenCalledTimes(2);
    expect(organizations).toHaveBeenCalledOnce();
  });

  test('asks for a key that was admitted with its last token only after its window ends', async () => {
    keys.mockResolvedValueOnce({
      outcome: 'admitted',
      caller: given.caller,
      bucket: bucketWith(0),
    });

    expect(await codes(2)).toEqual(['admitted', 'RATE_LIMITED']);
    expect(keys).toHaveBeenCalledOnce();
  });

  test('does not cache a failure of DynamoDB', async () => {
    keys.mockRejectedValueOnce(new Error('DynamoDB is away.'));

    expect(await codes(2)).toEqual(['INTERNAL', 'admitted']);
  });

  test('has no entry for a mistyped key, which is refused without DynamoDB', async () => {
    given.apiKey = `${given.apiKey.slice(0, -1)}${given.apiKey.endsWith('0') ? '1' : '0'}`;

    expect(await codes(2)).toEqual(['UNAUTHORIZED', 'UNAUTHORIZED']);
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

  test('of an unknown key: the key, then the organization; of a cached one: both in parallel', async () => {
    expect([await isParallel(), await isParallel()]).toEqual([false, true]);
  });

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

describe('the cache of exhausted organizations', () => {
  const exhausted = () => ({ outcome: 'exhausted', bucket: bucketWith(0, 3000) }) as const;

  test('refuses every cached key of the organization without DynamoDB until the window ends', async () => {
    const first = given.apiKey;
    const second = newApiKey();
    await send();
    given.apiKey = second;
    organizations.mockResolvedValueOnce(exhausted());
    const refused = await send();
    given.apiKey = first;
    const cached = await send();
    const callsBefore = organizations.mock.calls.length;
    vi.setSystemTime(Date.now() + 3_600_000);
    const after = await send();

    expect([refused.code, cached.code, after.code]).toEqual([
      'RATE_LIMITED',
      'RATE_LIMITED',
      'admitted',
    ]);
    expect(callsBefore).toBe(2);
    expect(cached.call.responseHeaders).toMatchObject({
      'RateLimit-Limit': '3000',
      'Retry-After': '3600',
    });
  });
});

test('an organization without settings is a failure that names its caller', async () => {
  settings.mockResolvedValue(undefined);
  const { code, error, call } = await send();

  expect([code, call.caller]).toEqual(['INTERNAL', given.caller]);
  expect(String(error)).toContain('no settings');
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
    organizations.mockResolvedValueOnce({ outcome: 'exhausted', bucket: bucketWith(0, 3000) });
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
