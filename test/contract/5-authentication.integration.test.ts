import { randomBytes } from 'node:crypto';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  apiKeyPattern,
  apiKeyRandomBytes,
  hashApiKey,
  mintApiKey,
} from '../../shared/organization/api-key.ts';
import { revokeApiKey } from '../../shared/store/organizations/api-keys.ts';
import { setKeyBucket } from '../support/buckets.ts';
import { call } from '../support/call.ts';
import {
  changeSettings,
  givenOrganizationWithLead,
  timelineOf,
  useOrganizationWithLead,
} from '../support/leads.ts';
import { givenOrganization } from '../support/organizations.ts';
import { goodRequests } from '../support/requests.ts';
import { table } from '../support/table.ts';

const organization = useOrganizationWithLead();
const unauthorized = { error: { code: 'UNAUTHORIZED', message: expect.stringMatching(/\.$/) } };
const mistyped = (key: string): string =>
  `${key.slice(0, 30)}${key.charAt(30) === 'a' ? 'b' : 'a'}${key.slice(31)}`;

describe('5.1 every request carries Authorization: Bearer <API_KEY>', () => {
  test.each<[string, () => string]>([
    ['as the contract writes it', () => `Bearer ${organization.reader}`],
    ['with the scheme in another case', () => `bearer ${organization.reader}`],
  ])('an Authorization header is accepted %s', async (_, header) => {
    expect((await call('list-users', { headers: { Authorization: header() } })).status).toBe(200);
  });

  test.each<[string, () => string]>([
    ['the key alone', () => organization.reader],
    ['another scheme', () => `Basic ${organization.reader}`],
    ['the scheme alone', () => 'Bearer'],
    ['no space', () => `Bearer${organization.reader}`],
    ['a tab for the space', () => `Bearer\t${organization.reader}`],
    ['two keys', () => `Bearer ${organization.reader} ${organization.writer}`],
    ['two headers in one', () => `Bearer ${organization.reader}, Bearer ${organization.writer}`],
    ['the key in quotes', () => `Bearer "${organization.reader}"`],
    ['the hash of the key', () => `Bearer ${hashApiKey(organization.reader)}`],
  ])('an Authorization header with %s is refused with 401', async (_, header) => {
    const { status, body } = await call('list-users', { headers: { Authorization: header() } });

    expect([status, body]).toEqual([401, unauthorized]);
  });

  test('a key without its scheme is refused with the form of the header', async () => {
    const { body } = await call('list-users', { headers: { Authorization: organization.reader } });

    expect(body.error.message).toBe(
      'Send the API key once, in the header Authorization: Bearer <API_KEY>.',
    );
  });

  test('a key in another header is refused with 401', async () => {
    expect(
      (await call('list-users', { headers: { 'X-Api-Key': organization.reader } })).status,
    ).toBe(401);
  });

  test('live keys begin with a fixed prefix ending in live_, and have the published form', async () => {
    for (const key of [organization.reader, organization.writer, organization.website]) {
      expect(key).toMatch(/^[a-z]+_live_/);
      expect(key).toMatch(new RegExp(`^${apiKeyPattern}$`));
    }
  });
});

describe('5.4 revoking a key ends its access at once', () => {
  test('a revoked key is refused on the next request, on every endpoint that had cached it', {
    tags: 'written',
  }, async () => {
    const own = await givenOrganizationWithLead();
    const { key: apiKey, keyId } = await own.key();
    const requests = goodRequests.slice(0, 4).map(
      ({ name, request }) =>
        () =>
          call(name, { apiKey, ...request(own.lead.id) }),
    );
    const before = [];
    for (const request of requests) before.push((await request()).status);

    await revokeApiKey(table(), own.id, keyId);

    const after = [];
    for (const request of requests) after.push((await request()).status);
    expect(before.every((status) => status < 300)).toBe(true);
    expect(after).toEqual([401, 401, 401, 401]);
  });

  test('a new key works before and after the old one is revoked', async () => {
    const [old, next] = [await organization.key(), await organization.key()];
    const ask = async () => [
      (await call('list-users', { apiKey: old.key })).status,
      (await call('list-users', { apiKey: next.key })).status,
    ];

    const both = await ask();
    await revokeApiKey(table(), organization.id, old.keyId);

    expect([both, await ask()]).toEqual([
      [200, 200],
      [401, 200],
    ]);
  });
});

describe('5.5 changes made with a key appear on the timeline as made by the person who created it', () => {
  test('the timeline names the creator of a key as it is named now, and after it is deactivated', async () => {
    const own = await givenOrganization();
    const { key: apiKey } = await own.key({ createdBy: 8 });
    const { body } = await call('create-lead', {
      apiKey,
      body: { fields: { name: 'A', phone: '+919800000001' } },
    });
    await changeSettings(own, {
      users: own.settings.users.map((user) => (user.id === 8 ? { ...user, active: false } : user)),
    });

    const noted = await call('add-note', {
      apiKey,
      leadId: body.lead.id,
      body: { text: 'Called.' },
    });

    expect(noted.status).toBe(201);
    const actors = (await timelineOf(own, body.lead.id)).map(({ actor }) => actor);
    expect(actors).toEqual([
      { userId: 8, name: 'Ravi Iyer' },
      { userId: 8, name: 'Ravi Iyer' },
    ]);
  });
});

describe('5.7 UNAUTHORIZED: a missing, wrong, revoked or expired key, on every endpoint, and nothing changes', () => {
  let expired: string;
  let revoked: string;
  beforeAll(async () => {
    const [past, ended] = await Promise.all([
      organization.key({ expiresAt: new Date(Date.now() - 1000) }),
      organization.key(),
    ]);
    await revokeApiKey(table(), organization.id, ended.keyId);
    [expired, revoked] = [past.key, ended.key];
  });
  const keys: [string, () => string | undefined][] = [
    ['missing', () => undefined],
    ['nonsense', () => 'x'],
    ['mistyped', () => mistyped(organization.writer)],
    ['cut short', () => organization.writer.slice(0, -1)],
    ['unknown', () => mintApiKey(randomBytes(apiKeyRandomBytes)).key],
    ['expired', () => expired],
    ['revoked', () => revoked],
  ];

  test.each(
    keys.flatMap(([kind, keyOf]) =>
      goodRequests.map((good) => [kind, good.name, keyOf, good] as const),
    ),
  )('a key that is %s is refused by %s', async (_kind, name, keyOf, { request }) => {
    const { status, body } = await call(name, {
      apiKey: keyOf(),
      ...request(organization.lead.id),
    });

    expect([status, body]).toEqual([401, unauthorized]);
    await organization.expectUntouched();
  });

  test('a key that expires between two requests is refused from then on', async () => {
    const { key: apiKey } = await organization.key();
    const before = await call('list-users', { apiKey });
    await setKeyBucket(apiKey, { expiresAt: Date.now() - 1 });

    expect([before.status, (await call('list-users', { apiKey })).status]).toEqual([200, 401]);
  });
});

describe('5.7 module: an organization whose plan does not include crm gets 403 FORBIDDEN on every endpoint', () => {
  const own = useOrganizationWithLead();
  let apiKey: string;
  beforeAll(async () => {
    ({ key: apiKey } = await own.key());
    await changeSettings(own, { modules: ['billing'] });
  });

  test.each(goodRequests)(
    'an organization without the module crm is refused on $name',
    async ({ name, request }) => {
      const { status, body } = await call(name, { apiKey, ...request(own.lead.id) });

      expect([status, body.error.code, body.error.details]).toEqual([
        403,
        'FORBIDDEN',
        { module: 'crm' },
      ]);
      await own.expectUntouched();
    },
  );

  describe('5.7 module: the same organization, once its plan includes crm', () => {
    beforeAll(() => changeSettings(own, { modules: ['billing', 'crm'] }));

    test.each(goodRequests)(
      'an organization that has the module crm again is answered by $name',
      async ({ name, request, status }) => {
        expect((await call(name, { apiKey, ...request(own.lead.id) })).status).toBe(status);
      },
    );
  });
});
