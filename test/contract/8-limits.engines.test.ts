import { beforeAll, describe, expect, test } from 'vitest';
import { setKeyBucket, setOrganizationBucket, usedByOrganization } from '../support/buckets.ts';
import { type CallReply, call } from '../support/call.ts';
import { givenOrganization } from '../support/organizations.ts';

/** The lengths of a capture's texts are tested in test/shared/middleware/schemas.test.ts, those of a note in section 4.6. */

let apiKey: string;
beforeAll(async () => {
  ({ reader: apiKey } = await givenOrganization());
});

describe('8 list: at most 10 filters, a filter string of at most 8000 characters', () => {
  const filters = (count: number) =>
    Array.from({ length: count }, () => ({ field: 'city', operator: 'is_empty' }));
  const list = (filter: string) => call('list-leads', { apiKey, query: { filter } });

  test.each([
    [10, 200],
    [11, 400],
  ])('a list with %i filters answers %i', async (count, status) => {
    const answer = await list(JSON.stringify(filters(count)));

    expect(answer.status).toBe(status);
    if (status === 400)
      expect(answer.body.error).toMatchObject({
        code: 'INVALID_QUERY',
        details: { filters: [10] },
      });
    if (status === 400)
      expect(answer.body.error.message).toBe('filter[10] exceeds the limit of 10 filters.');
  });

  test('a list with thousands of filters names every position beyond the tenth', async () => {
    const { status, body } = await list(`[${'1,'.repeat(3998)}1]`);

    expect([status, body.error.details.filters]).toEqual([
      400,
      Array.from({ length: 3999 }, (_, index) => index),
    ]);
  });

  test.each([
    [8000, 200],
    [8001, 400],
  ])(
    'a filter string of %i characters, most of two code units (😀), answers %i',
    async (length, status) => {
      const shell = JSON.stringify([{ field: 'city', operator: 'contains', value: '' }]);
      const filter = shell.replace('""', `"${'😀'.repeat(length - shell.length)}"`);
      expect([...filter]).toHaveLength(length);

      const answer = await list(filter);

      expect(answer.status).toBe(status);
      if (status === 400)
        expect(answer.body.error.details.parameters).toEqual({
          filter: 'must have at most 8000 characters.',
        });
    },
  );
});

const ask = (apiKey: string) => call('list-lead-fields', { apiKey });
const limitsOf = ({ headers }: CallReply) =>
  ['limit', 'remaining', 'reset'].map((name) => Number(headers.get(`ratelimit-${name}`)));
/** A bucket whose window ends in some minutes. */
const bucketOf = (used: number, minutes = 30) => ({
  used,
  windowEndsAt: Date.now() + minutes * 60_000,
});

describe('8 requests per key: 600 per hour', () => {
  test('of 200 requests, exactly the 150 that a key has left of 600 pass, and the rest get Retry-After', async () => {
    const { website } = await givenOrganization();
    await setKeyBucket(website, bucketOf(450));
    const answers: CallReply[] = [];

    for (let batch = 0; batch < 4; batch += 1)
      answers.push(...(await Promise.all(Array.from({ length: 50 }, () => ask(website)))));

    const passed = answers.filter(({ status }) => status === 200);
    const refused = answers.filter(({ status }) => status === 429);
    expect([passed.length, refused.length]).toEqual([150, 50]);
    expect(new Set(passed.map((answer) => limitsOf(answer)[1]))).toEqual(
      new Set(Array.from({ length: 150 }, (_, index) => index)),
    );
    for (const { headers, body } of refused) {
      expect(body.error.code).toBe('RATE_LIMITED');
      expect([headers.get('ratelimit-limit'), headers.get('ratelimit-remaining')]).toEqual([
        '600',
        '0',
      ]);
      expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
      expect(Number(headers.get('retry-after'))).toSatisfy(
        (seconds: number) => seconds > 0 && seconds <= 3600,
      );
    }
  });

  test('the requests of one key do not count for another', async () => {
    const organization = await givenOrganization();
    await setKeyBucket(organization.website, bucketOf(600));

    const answers = [await ask(organization.website), await ask(organization.reader)];

    expect(answers.map(({ status }) => status)).toEqual([429, 200]);
    expect(limitsOf(answers[1]!).slice(0, 2)).toEqual([600, 599]);
  });

  test('a key may send 600 requests again after its window ends', async () => {
    const { website } = await givenOrganization();
    await setKeyBucket(website, { used: 600, windowEndsAt: Date.now() - 1 });

    const answer = await ask(website);

    expect(answer.status).toBe(200);
    expect(limitsOf(answer)).toEqual([
      600,
      599,
      expect.toSatisfy((seconds) => seconds > 3500 && seconds <= 3600),
    ]);
  });

  test('RateLimit-Reset is the seconds until the window resets', async () => {
    const { website } = await givenOrganization();
    await setKeyBucket(website, bucketOf(10, 20));

    const [limit, remaining, reset] = limitsOf(await ask(website));

    expect([limit, remaining]).toEqual([600, 589]);
    expect(reset).toSatisfy((seconds: number) => seconds > 1140 && seconds <= 1200);
  });

  test('a request that is refused after the key was checked counts; one before does not', async () => {
    const { website } = await givenOrganization();

    await call('list-users', { apiKey: website }); // 403
    await call('capture-lead', { apiKey: website, body: {} }); // 422
    await call('list-users', { apiKey: website, query: 'token=x' }); // 400 KEY_IN_URL
    await call('capture-lead', { apiKey: website, body: '{' }); // 400 INVALID_JSON

    expect(limitsOf(await ask(website))[1]).toBe(597);
  });

  test('an exhausted key takes no token of its organization', async () => {
    const { id, website } = await givenOrganization();
    // A process that knows the key from before would take both tokens in parallel, as while the key has many.
    await setKeyBucket(website, bucketOf(599));

    const answers = [
      await ask(website),
      await ask(website),
      await ask(website),
      await call('capture-lead', { apiKey: website, body: {} }),
    ];

    expect(answers.map(({ status }) => status)).toEqual([200, 429, 429, 429]);
    expect(await usedByOrganization(id)).toBe(1);
  });
});

describe('8 requests per organization: 3000 per hour, all keys together', () => {
  test('the last five requests of an organization pass with any key, and then every key is refused', async () => {
    const organization = await givenOrganization();
    const { id, reader, website } = organization;
    await setOrganizationBucket(id, bucketOf(2995));

    const answers: CallReply[] = [];
    for (const apiKey of [reader, website, reader, website, reader, website, reader])
      answers.push(await ask(apiKey));

    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 429, 429]);
    expect(answers.map((answer) => limitsOf(answer).slice(0, 2))).toEqual(
      [4, 3, 2, 1, 0, 0, 0].map((remaining) => [3000, remaining]),
    );
    const { headers, body } = answers[6]!;
    expect(body.error.code).toBe('RATE_LIMITED');
    expect(headers.get('retry-after')).toBe(headers.get('ratelimit-reset'));
    expect(Number(headers.get('retry-after'))).toSatisfy(
      (seconds: number) => seconds > 1700 && seconds <= 1800,
    );
  });

  test('of 40 parallel requests by four keys exactly the ten that are left pass', async () => {
    const organization = await givenOrganization();
    const keys = await Promise.all([1, 2, 3, 4].map(() => organization.key()));
    await setOrganizationBucket(organization.id, bucketOf(2990));

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) => ask(keys[index % 4]!.key)),
    );

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(10);
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(30);
    expect(await usedByOrganization(organization.id)).toBe(3000);
  });

  test('the requests of one organization do not count for another', async () => {
    const [full, other] = [await givenOrganization(), await givenOrganization()];
    await setOrganizationBucket(full.id, bucketOf(3000));

    expect([(await ask(full.website)).status, (await ask(other.website)).status]).toEqual([
      429, 200,
    ]);
  });

  test('an organization may send requests again after its window ends', async () => {
    const { id, website } = await givenOrganization();
    await setOrganizationBucket(id, { used: 3000, windowEndsAt: Date.now() - 1 });

    expect((await ask(website)).status).toBe(200);
    expect(await usedByOrganization(id)).toBe(1);
  });
});

describe('1 RateLimit headers: of whichever limit is closer to running out', () => {
  test.each([
    ['the key’s', bucketOf(500), bucketOf(2000), [600, 99]],
    ['the organization’s', bucketOf(100), bucketOf(2990), [3000, 9]],
    ['equal, the organization’s ends later', bucketOf(594, 20), bucketOf(2994, 40), [3000, 5]],
    ['equal, the key’s ends later', bucketOf(594, 40), bucketOf(2994, 20), [600, 5]],
  ])(
    'the RateLimit headers are of the limit closer to running out: %s',
    async (_, key, organization, expected) => {
      const { id, website } = await givenOrganization();
      await setKeyBucket(website, key);
      await setOrganizationBucket(id, organization);

      expect(limitsOf(await ask(website)).slice(0, 2)).toEqual(expected);
    },
  );
});
