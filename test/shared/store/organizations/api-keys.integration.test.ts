import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { hashApiKey } from '../../../../shared/organization/api-key.ts';
import { createApiKey, revokeApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import { apiKeyPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { givenOrganizationWithoutKeys } from '../../../support/organizations.ts';
import { givenTable } from '../../../support/table.ts';

const table = await givenTable();
afterAll(() => table.client.destroy());

const now = new Date('2026-03-01T10:00:00.000Z');
const website = { type: 'website-form', label: 'website', createdBy: 7, now } as const;
const application = { ...website, type: 'application', scopes: ['leads.write'] } as const;
const storedItems = async () =>
  (await table.client.send(new ScanCommand({ TableName: table.name }))).Items ?? [];
const storedKey = async (key: string) =>
  (await storedItems()).find(({ pk }) => pk === apiKeyPrimaryKey(hashApiKey(key)).pk);

test('a new API key is stored as its hash with what admission needs, and nowhere as itself', async () => {
  const { id: organizationId } = await givenOrganizationWithoutKeys({}, table);

  const created = await createApiKey(table, { ...website, organizationId });

  expect(await storedKey(created.key)).toEqual({
    ...apiKeyPrimaryKey(hashApiKey(created.key)),
    ...{ organizationId, keyId: created.keyId, type: 'website-form', label: 'website' },
    ...{ scopes: ['leads.capture'], createdBy: 7, createdAt: now.toISOString() },
    expiresAt: Date.parse('2028-02-29T10:00:00.000Z'),
    ...{ used: 0, windowEndsAt: 0 },
  });
  expect(JSON.stringify(await storedItems())).not.toContain(created.key);
});

test('an application key expires after 90 days, or when requested', async () => {
  const { id: organizationId } = await givenOrganizationWithoutKeys({}, table);

  const usual = await createApiKey(table, { ...application, organizationId });
  const expiresAt = '2020-01-01T00:00:00+05:30';
  const past = await createApiKey(table, { ...application, organizationId, expiresAt });

  expect([usual, past].map((created) => created.expiresAt)).toEqual([
    '2026-05-30T10:00:00.000Z',
    '2019-12-31T18:30:00.000Z',
  ]);
});

test('an API key of another organization is not revoked', async () => {
  const [one, other] = [
    await givenOrganizationWithoutKeys({}, table),
    await givenOrganizationWithoutKeys({}, table),
  ];
  const { keyId, key } = await createApiKey(table, { ...website, organizationId: other.id });

  expect(await revokeApiKey(table, one.id, keyId)).toBeUndefined();
  expect(await storedKey(key)).not.toHaveProperty('revokedAt');
});
