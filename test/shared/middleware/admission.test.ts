import { setImmediate as nextTick } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { endpointNamed } from '../../../shared/contract/endpoints.ts';
import { endpoint } from '../../../shared/middleware/endpoint.ts';
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
} from './admitted.ts';
import { keepLines } from './logged-lines.ts';

keepLines();
admitEveryone();

const listUsers = endpoint(endpointNamed('list-users'), { input: {}, respond: ok });

describe('admission', () => {
  test('refuses a mistyped key without DynamoDB', async () => {
    mistypeKey();

    expect((await send(listUsers)).body.error?.code).toBe('UNAUTHORIZED');
    expect(keys).not.toHaveBeenCalled();
  });

  test('names a missing module before a missing scope', async () => {
    give(['leads.capture']);
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
