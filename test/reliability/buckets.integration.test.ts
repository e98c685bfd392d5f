import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rateLimitVariables } from '../../shared/rate-limits.ts';
import { revokeApiKey } from '../../shared/store/organizations/api-keys.ts';
import { setKeyBucket, setOrganizationBucket, usedByOrganization } from '../support/buckets.ts';
import { type CallReply, call } from '../support/call.ts';
import { givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { service } from '../support/service.ts';
import { racingWorkers } from '../support/service-process.ts';
import { table } from '../support/table.ts';

/**
 * The rate limits, when a window ends under load and when another instance has used up a key. Requests in parallel go to eight instances of
 * a function, each with a cache of its own.
 */
const [perKey, perOrganization] = [80, 120]; // low, so that they are soon exhausted
let own: OwnService;
beforeAll(async () => {
  own = await startOwnService({
    ...service().environment,
    [rateLimitVariables.requestsPerKeyPerWindow]: String(perKey),
    [rateLimitVariables.requestsPerOrganizationPerWindow]: String(perOrganization),
  });
  // Starts every instance: on a busy machine a cold one takes longer than a window of these tests.
  const { reader } = await givenOrganization();
  await Promise.all(Array.from({ length: racingWorkers }, () => ask(reader)));
});
afterAll(() => own.stop());

const ask = (apiKey: string): Promise<CallReply> =>
  call('list-users', { apiKey, baseUrl: own.baseUrl });
const inAnHour = (): number => Date.now() + 3_600_000;

/** The old window ends a second after the race began: one that ends later is the new one. */
const oldWindow = { leftOfOld: 10, endsInMs: 1000, resetsWithinSeconds: 60 };
const lanes = 24;

/** Asks in parallel until the new window is exhausted. @returns how many requests passed in each window, and how many failed */
async function raceAcrossWindows(apiKeys: readonly string[]) {
  const passed = { old: 0, new: 0 };
  let failed = 0;
  let isExhausted = false;
  const lane = async (number: number): Promise<void> => {
    while (!isExhausted) {
      const { status, headers } = await ask(apiKeys[number % apiKeys.length] ?? '');
      const isNew = Number(headers.get('RateLimit-Reset')) > oldWindow.resetsWithinSeconds;
      if (status === 200) passed[isNew ? 'new' : 'old'] += 1;
      else if (status !== 429) failed += 1;
      else if (isNew) isExhausted = true;
      else await pause(2); // a cached refusal: it would keep this process too busy for the others
    }
  };
  await Promise.all(Array.from({ length: lanes }, (_, number) => lane(number)));
  return { passed, failed };
}

/**
 * Exactly the limit passes in the new window. On a busy machine DynamoDB may answer later than the SDK waits: each call that the SDK repeats
 * may have taken a token that nobody got. So many may be missing, and never one too many.
 */
async function expectExactly(limit: number, apiKeys: readonly string[]): Promise<void> {
  const { result, calls } = await own.proxy.record(() => raceAcrossWindows(apiKeys));
  const repeated = calls.filter(({ attempt }) => attempt > 1).length;
  expect(result.passed.old).toBeLessThanOrEqual(oldWindow.leftOfOld);
  expect(result.passed.new).toBeLessThanOrEqual(limit);
  expect(result.passed.new).toBeGreaterThanOrEqual(limit - repeated);
  expect(result.failed).toBeLessThanOrEqual(repeated);
}

test('across the end of a window, a key passes the rest of the old one and exactly its limit in the new', async () => {
  const { reader } = await givenOrganization();
  const { leftOfOld, endsInMs } = oldWindow;
  await setKeyBucket(reader, { used: perKey - leftOfOld, windowEndsAt: Date.now() + endsInMs });

  await expectExactly(perKey, [reader]);
});

test('across the end of a window, the keys of an organization pass exactly its limit in the new one', async () => {
  const { id, key } = await givenOrganization();
  const apiKeys = await Promise.all(
    Array.from({ length: racingWorkers }, async () => (await key()).key),
  );
  const { leftOfOld, endsInMs } = oldWindow;
  const used = perOrganization - leftOfOld;
  await setOrganizationBucket(id, { used, windowEndsAt: Date.now() + endsInMs });

  await expectExactly(perOrganization, apiKeys);
});

test.each<[string, number, (organization: { id: number; keyId: string; key: string }) => unknown]>([
  ['exhausted', 429, ({ key }) => setKeyBucket(key, { used: perKey, windowEndsAt: inAnHour() })],
  ['revoked', 401, ({ id, keyId }) => revokeApiKey(table(), id, keyId)],
])(
  'a key that a function knows and that is %s takes one token of its organization, and is then cached',
  async (_, status, change) => {
    const { id, key: createKey } = await givenOrganization();
    const { key, keyId } = await createKey();
    await ask(key);
    const before = await usedByOrganization(id);
    await change({ id, key, keyId });

    const { result: statuses, calls } = await own.proxy.record(async () => [
      (await ask(key)).status,
      (await ask(key)).status,
    ]);

    expect(statuses).toEqual([status, status]);
    expect(calls.map(({ site }) => site).sort()).toEqual(['UpdateItem KEY', 'UpdateItem USAGE']);
    expect((await usedByOrganization(id)) - before).toBe(1);
  },
);
