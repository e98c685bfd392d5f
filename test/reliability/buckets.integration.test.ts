import { afterAll, beforeAll, expect, test } from 'vitest';
import { rateLimitVariables } from '../../shared/rate-limits.ts';
import { revokeApiKey } from '../../shared/store/organizations/api-keys.ts';
import { setKeyBucket, usedByOrganization } from '../support/buckets.ts';
import { type CallReply, call } from '../support/call.ts';
import { givenOrganization } from '../support/organizations.ts';
import { type OwnService, startOwnService } from '../support/own-service.ts';
import { service } from '../support/service.ts';
import { racingWorkers } from '../support/service-process.ts';
import { table } from '../support/table.ts';

/** The rate limits, when a key that an instance of a function knows was used up or revoked elsewhere. */
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
