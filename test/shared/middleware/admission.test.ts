import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { endpointNamed } from '../../../shared/contract/endpoints.ts';
import { endpoint } from '../../../shared/middleware/endpoint.ts';
import type { admitKey } from '../../../shared/store/organizations/admission.ts';
import { sampleOrganization } from '../../support/settings.ts';
import {
  admitEveryone,
  bucketWith,
  caller,
  exhausted,
  give,
  hourMs,
  keys,
  loadOrganization,
  mistypeKey,
  ok,
  organizations,
  send,
  withKey,
} from './admitted.ts';
import { keepLines, lines } from './logged-lines.ts';

keepLines();
admitEveryone();

/** Sends a request whose key meets this outcome; by default, it is admitted. */
const meetKey = (outcome: object) => {
  const admitted = { outcome: 'admitted', caller, bucket: bucketWith(500) } as const;
  keys.mockResolvedValueOnce({ ...admitted, ...outcome });
  return send(listUsers);
};

const listUsers = endpoint(endpointNamed('list-users'), { input: {}, respond: ok });

describe('admission', () => {
  test('refuses a mistyped key without DynamoDB', async () => {
    mistypeKey();

    expect((await send(listUsers)).body.error?.code).toBe('UNAUTHORIZED');
    expect(keys).not.toHaveBeenCalled();
  });

  const unreadable = 'Send the API key once, in the header Authorization: Bearer <API_KEY>.';
  test.each<[authorizations: string[], status: number]>([
    [['bearer  KEY  '], 200],
    [[], 401],
    [['KEY'], 401],
    [['Bearer KEY KEY'], 401],
    [['x Bearer KEY'], 401],
    [['Bearer KEY', 'Bearer KEY'], 401],
  ])('a request with the Authorization %j is answered with %i', async (authorizations, status) => {
    const multiValueHeaders = { authorization: authorizations.map(withKey) };

    const reply = await send(listUsers, { multiValueHeaders });

    expect(reply.status).toBe(status);
    if (status === 401) expect(reply.body.error).toMatchObject({ message: unreadable });
  });

  type Known = () => Partial<Awaited<ReturnType<typeof admitKey>>>;
  const withoutTokens = (endsInMs = hourMs): ReturnType<Known> => ({
    outcome: 'exhausted',
    bucket: { ...bucketWith(0), resetsAt: Date.now() + endsInMs },
  });
  test.each<[what: string, known: Known, laterMs: number, status: number]>([
    ['refused', () => ({ outcome: 'refused' }), 0, 401],
    ['expired meanwhile', () => ({}), hourMs, 401],
    ['exhausted', withoutTokens, 10_000, 429],
  ])('a key that was %s is refused from the cache', async (_, known, laterMs, status) => {
    await meetKey({ caller: { ...caller, expiresAt: Date.now() + hourMs }, ...known() });
    vi.setSystemTime(Date.now() + laterMs);

    expect((await send(listUsers)).status).toBe(status);
    expect(keys).toHaveBeenCalledOnce();
  });

  test.each<[what: string, known: Known, laterMs: number]>([
    ['was exhausted more than ten seconds ago', withoutTokens, 10_001],
    ['has a new window', () => withoutTokens(5000), 5000],
  ])('DynamoDB decides again about a key that %s', async (_, known, laterMs) => {
    await meetKey(known());
    vi.setSystemTime(Date.now() + laterMs);

    expect((await send(listUsers)).status).toBe(200);
  });

  test('an exhausted key is told so, with its limit and the time until its window ends', async () => {
    const { headers, body } = await meetKey(withoutTokens(1));

    expect(headers).toMatchObject({
      'RateLimit-Limit': '600',
      'RateLimit-Remaining': '0',
      'RateLimit-Reset': '1',
      'Retry-After': '1',
    });
    expect(body.error).toMatchObject({ message: expect.stringContaining('the API key (600)') });
    expect(organizations).not.toHaveBeenCalled();
  });

  test.each([
    ['the key, which has fewer tokens left', 5, 6, '600'],
    ['the organization, which has fewer tokens left', 6, 5, '3000'],
    ['the key, whose window ends later', 5, 5, '600'],
  ])('of two limits, the headers show that of %s', async (_, own, all, limit) => {
    keys.mockResolvedValueOnce({ outcome: 'admitted', caller, bucket: bucketWith(own) });
    const bucket = { ...bucketWith(all, 3000), resetsAt: Date.now() + hourMs - 1000 };
    organizations.mockResolvedValueOnce({ ...exhausted(), outcome: 'admitted', bucket });

    const { headers } = await send(listUsers);

    expect(headers).toMatchObject({ 'RateLimit-Limit': limit, 'RateLimit-Remaining': '5' });
    expect(headers).not.toHaveProperty('Retry-After');
  });

  test.each([
    ['newer than those in the cache', 2, 'admitted', 2],
    ['as old as those in the cache', 1, 'admitted', 1],
    ['unknown, because the organization is exhausted', 2, 'exhausted', 1],
  ] as const)(
    'settings that are %s: version %i, %s',
    async (_, settingsVersion, outcome, loads) => {
      await send(listUsers);
      const bucket = bucketWith(7, 3000);
      organizations.mockResolvedValueOnce({ ...exhausted(), outcome, bucket, settingsVersion });

      await send(listUsers);

      expect(loadOrganization).toHaveBeenCalledTimes(loads);
    },
  );

  test('an organization without settings is a failure of the service', async () => {
    loadOrganization.mockResolvedValue(undefined);

    expect((await send(listUsers)).status).toBe(500);
    expect(lines.join('')).toContain('has a usage item but no settings');
  });

  test.each(['create-lead', 'list-users'] as const)(
    'admission of %s advances the lead sequence only if the endpoint numbers leads',
    async (name) => {
      await send(endpoint(endpointNamed(name), { input: {}, respond: ok }));

      expect(organizations.mock.lastCall?.at(-1)).toBe(name === 'create-lead');
    },
  );

  test('a request that is refused by its key is answered after the write to its organization', async () => {
    await send(listUsers);
    keys.mockResolvedValueOnce({ outcome: 'refused', caller });
    let hasWritten = false;
    organizations.mockImplementationOnce(async () => {
      await nextTick();
      hasWritten = true;
      return exhausted();
    });

    expect([(await send(listUsers)).status, hasWritten]).toEqual([401, true]);
  });

  test('names a missing module before a missing scope', async () => {
    give(['leads.capture']);
    const organization = { ...sampleOrganization({ modules: ['billing'] }), version: 1 };
    loadOrganization.mockResolvedValue(organization);

    expect((await send(listUsers)).body.error).toMatchObject({
      message: "The organization's plan does not include the module crm.",
      details: { module: 'crm' },
    });
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
