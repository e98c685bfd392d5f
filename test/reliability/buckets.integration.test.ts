import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { limits } from '../../shared/limits.ts';
import { apiKeyRandomBytes, mintApiKey } from '../../shared/organization/api-key.ts';
import { revokeApiKey } from '../../shared/store/organizations/api-keys.ts';
import { type CallReply, call } from '../support/call.ts';
import type { RecordedCall } from '../support/faults/calls.ts';
import { type FaultyService, startFaultyService } from '../support/faults/faulty-service.ts';
import { type DynamodbProxy, startDynamodbProxy } from '../support/faults/proxy.ts';
import { seededRandom } from '../support/faults/rules.ts';
import { givenOrganization } from '../support/organizations.ts';
import { withLocalTimeouts } from '../support/own-service.ts';
import { service } from '../support/service.ts';
import { table } from '../support/table.ts';
import { anHourFromNow, bucketOfKey, bucketOfOrganization, setBucket, usedOf } from './buckets.ts';
import { type HammerReport, type Hammers, startHammers } from './hammers.ts';

const { requestsPerKeyPerWindow: keyLimit, requestsPerOrganizationPerWindow: organizationLimit } =
  limits;
const processes = 8;
/** Low, so that they are soon exhausted. */
const [perKey, perOrganization] = [80, 120];
const lowLimits = {
  REQUESTS_PER_KEY_PER_HOUR: String(perKey),
  REQUESTS_PER_ORGANIZATION_PER_HOUR: String(perOrganization),
};

/**
 * Exactly so many pass. On a busy machine DynamoDB may answer later than the SDK waits: each call that the SDK repeats may have taken a
 * token that nobody got, and a request that ran out of repeats fails. So many may be missing, and never one too many.
 */
async function expectExactly(
  tokens: number,
  run: () => Promise<Pick<HammerReport, 'passed' | 'failed'>>,
): Promise<void> {
  const { result, calls } = await proxy.record(run);
  const repeated = calls.filter(({ attempt }) => attempt > 1).length;
  expect(result.passed).toBeLessThanOrEqual(tokens);
  expect(result.passed).toBeGreaterThanOrEqual(tokens - repeated);
  expect(result.failed).toBeLessThanOrEqual(repeated);
}

let proxy: DynamodbProxy;
beforeAll(async () => {
  proxy = await startDynamodbProxy(service().environment.AWS_ENDPOINT_URL_DYNAMODB ?? '');
});
afterAll(() => proxy.stop());

describe('eight processes that hammer', () => {
  let hammers: Hammers;
  beforeAll(async () => {
    hammers = await startHammers(processes, {
      ...service().environment,
      AWS_ENDPOINT_URL_DYNAMODB: proxy.endpoint,
    });
  });
  afterAll(() => hammers.stop());

  test('eight processes that hammer one key pass exactly its limit', async () => {
    const { reader } = await givenOrganization();

    const order = { requests: perKey / 5, lanes: 5, limits: lowLimits };
    await expectExactly(perKey, () => hammers.hammer([reader], order));

    expect(await usedOf(bucketOfKey(reader))).toBe(perKey);
  });

  test('eight processes that hammer one organization with a key each pass exactly what is left of its limit', async () => {
    const { id, apiKeys } = await givenKeys();
    const left = 160;
    await setBucket(bucketOfOrganization(id), organizationLimit - left, anHourFromNow());

    const order = { requests: left / 5, lanes: 5 };
    await expectExactly(left, () => hammers.hammer(apiKeys, order));

    expect(await usedOf(bucketOfOrganization(id))).toBe(organizationLimit);
  });

  const order = { requests: 20_000, lanes: 3, untilFreshIsExhausted: true, limits: lowLimits };
  const leftOfOld = 10;
  const windowMs = 1000;

  /** The old window gives what was left of it at most; the new one is counted. */
  async function hammerAcross(
    apiKeys: readonly [string, ...string[]],
  ): Promise<Pick<HammerReport, 'passed' | 'failed'>> {
    const { passed, passedInFreshWindow, failed } = await hammers.hammer(apiKeys, order);
    expect(passed - passedInFreshWindow).toBeLessThanOrEqual(leftOfOld);
    return { passed: passedInFreshWindow, failed };
  }

  test('across the end of a window, one key passes at most what was left of the old window, and exactly the limit in the new one', async () => {
    const { reader } = await givenOrganization();
    await setBucket(bucketOfKey(reader), perKey - leftOfOld, Date.now() + windowMs);

    await expectExactly(perKey, () => hammerAcross([reader]));
  });

  test('across the end of a window, one organization passes at most what was left of the old window, and exactly the limit in the new one', async () => {
    const { id, apiKeys } = await givenKeys();
    await setBucket(bucketOfOrganization(id), perOrganization - leftOfOld, Date.now() + windowMs);

    await expectExactly(perOrganization, () => hammerAcross(apiKeys));
  });

  /** An organization with an API key for each process. */
  async function givenKeys(): Promise<{ id: number; apiKeys: [string, ...string[]] }> {
    const { id, reader, key } = await givenOrganization();
    const others = await Promise.all(Array.from({ length: processes - 1 }, () => key()));
    return { id, apiKeys: [reader, ...others.map((other) => other.key)] };
  }
});

describe('a warm function', () => {
  let faulty: FaultyService;
  beforeAll(async () => {
    faulty = await startFaultyService(withLocalTimeouts());
  });
  afterAll(() => faulty.stop());

  const ask = (apiKey: string): Promise<CallReply> =>
    call('list-users', { apiKey, baseUrl: faulty.baseUrl });
  const askFiveTimes = async (
    apiKey: string,
  ): Promise<{ statuses: number[]; calls: readonly RecordedCall[] }> => {
    const { result, calls } = await faulty.proxy.record(async () => {
      const statuses: number[] = [];
      for (let asked = 0; asked < 5; asked += 1) statuses.push((await ask(apiKey)).status);
      return statuses;
    });
    return { statuses: result, calls };
  };
  const sitesOf = (calls: readonly RecordedCall[]): string[] =>
    calls.map(({ site }) => site).sort();

  test('asks DynamoDB once about a key that was exhausted before it came, and takes nothing from the organization', async () => {
    const { id, reader } = await givenOrganization();
    await setBucket(bucketOfKey(reader), keyLimit, anHourFromNow());

    const { statuses, calls } = await askFiveTimes(reader);

    expect(statuses).toEqual([429, 429, 429, 429, 429]);
    expect(sitesOf(calls)).toEqual(['UpdateItem KEY']);
    expect(await usedOf(bucketOfOrganization(id))).toBe(0);
  });

  test('calls DynamoDB no more after it took the last token itself', async () => {
    const { reader } = await givenOrganization();
    await setBucket(bucketOfKey(reader), keyLimit - 1, anHourFromNow());
    expect((await ask(reader)).status).toBe(200);

    const { statuses, calls } = await askFiveTimes(reader);

    expect(statuses).toEqual([429, 429, 429, 429, 429]);
    expect(calls).toEqual([]);
  });

  test('takes one token at most from the organization for a key that others exhausted', async () => {
    const { id, reader } = await givenOrganization();
    await ask(reader);
    const before = await usedOf(bucketOfOrganization(id));
    await setBucket(bucketOfKey(reader), keyLimit, anHourFromNow());

    const { statuses, calls } = await askFiveTimes(reader);

    expect(statuses).toEqual([429, 429, 429, 429, 429]);
    expect(sitesOf(calls)).toEqual(['UpdateItem KEY', 'UpdateItem USAGE']);
    expect((await usedOf(bucketOfOrganization(id))) - before).toBe(1);
  });

  test('asks about a key before the organization, not in parallel, once less than a tenth of its tokens is left', async () => {
    const { id, reader } = await givenOrganization();
    await setBucket(bucketOfKey(reader), keyLimit * 0.95, anHourFromNow());
    await ask(reader);
    const before = await usedOf(bucketOfOrganization(id));
    await setBucket(bucketOfKey(reader), keyLimit, anHourFromNow());

    const { statuses, calls } = await askFiveTimes(reader);

    expect(statuses).toEqual([429, 429, 429, 429, 429]);
    expect(sitesOf(calls)).toEqual(['UpdateItem KEY']);
    expect(await usedOf(bucketOfOrganization(id))).toBe(before);
  });

  test('takes one token at most from the organization for a key that is revoked, and asks about it once', async () => {
    const { id, key } = await givenOrganization();
    const { key: apiKey, keyId } = await key();
    await ask(apiKey);
    const before = await usedOf(bucketOfOrganization(id));
    await revokeApiKey(table(), id, keyId);

    const { statuses, calls } = await askFiveTimes(apiKey);

    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect(sitesOf(calls)).toEqual(['UpdateItem KEY', 'UpdateItem USAGE']);
    expect((await usedOf(bucketOfOrganization(id))) - before).toBe(1);
  });

  test('asks once about a forged key with a right checksum, and takes nothing from any organization', async () => {
    const { key: forged } = mintApiKey(randomBytes(apiKeyRandomBytes));

    const { statuses, calls } = await askFiveTimes(forged);

    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect(sitesOf(calls)).toEqual(['UpdateItem KEY']);
  });

  test('asks nothing about a key whose checksum is wrong', async () => {
    const { reader } = await givenOrganization();
    const mistyped = `${reader.slice(0, -1)}${reader.endsWith('0') ? '1' : '0'}`;

    const { statuses, calls } = await askFiveTimes(mistyped);

    expect(statuses).toEqual([401, 401, 401, 401, 401]);
    expect(calls).toEqual([]);
  });

  test('takes nothing from an exhausted organization, and asks nothing more', async () => {
    const { id, reader } = await givenOrganization();
    await setBucket(bucketOfOrganization(id), organizationLimit, anHourFromNow());
    await ask(reader);

    const { statuses, calls } = await askFiveTimes(reader);

    expect(statuses).toEqual([429, 429, 429, 429, 429]);
    expect(calls).toEqual([]);
    expect(await usedOf(bucketOfOrganization(id))).toBe(organizationLimit);
  });

  test('lost responses cost tokens, and never let more than the limit pass', async () => {
    const { reader } = await givenOrganization();
    await setBucket(bucketOfKey(reader), keyLimit - 100, anHourFromNow());
    const random = seededRandom(4);
    faulty.proxy.rule = ({ site, attempt }) =>
      site === 'UpdateItem KEY' && attempt === 1 && random() < 0.2
        ? { kind: 'cut', applied: true }
        : undefined;

    const { result: statuses, calls } = await faulty.proxy.record(async () => {
      const answers: CallReply[] = [];
      for (let round = 0; round < 15; round += 1)
        answers.push(...(await Promise.all(Array.from({ length: 10 }, () => ask(reader)))));
      return answers.map(({ status }) => status);
    });

    faulty.proxy.rule = undefined;
    const passed = statuses.filter((status) => status === 200).length;
    const repeated = calls.filter(({ attempt }) => attempt > 1).length;
    expect(calls.filter(({ fault }) => fault === 'cut').length).toBeGreaterThan(10);
    expect(passed).toBeLessThanOrEqual(100);
    expect(passed).toBeGreaterThanOrEqual(100 - repeated);
    expect(statuses.filter((status) => status !== 200 && status !== 429).length).toBeLessThan(
      repeated,
    );
    expect(await usedOf(bucketOfKey(reader))).toBe(keyLimit);
  });
});
