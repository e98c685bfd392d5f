import { GetCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { hashApiKey } from '../../../../shared/organization/api-key.ts';
import {
  ApiKeyError,
  createApiKey,
  listApiKeys,
  revokeApiKey,
} from '../../../../shared/store/organizations/api-keys.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import { apiKeyPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { newSettings } from '../../../support/organizations.ts';
import { service } from '../../../support/service.ts';
import { tableOf } from '../../../support/table.ts';

const table = tableOf(service().environment);
afterAll(() => table.client.destroy());

async function givenOrganizationId(): Promise<number> {
  const settings = newSettings();
  const users = settings.users.map((user) => (user.id === 8 ? { ...user, active: false } : user));
  await applySettings(table, { ...settings, users });
  return settings.id;
}
const now = new Date('2026-03-01T10:00:00.000Z');
const website = { type: 'website-form', label: 'website', createdBy: 7, now } as const;
const storedKey = async (key: string) =>
  (
    await table.client.send(
      new GetCommand({ TableName: table.name, Key: apiKeyPrimaryKey(hashApiKey(key)) }),
    )
  ).Item;

test('a new API key is stored as its hash with what admission needs, and nowhere as itself', async () => {
  const organizationId = await givenOrganizationId();

  const created = await createApiKey(table, { ...website, organizationId });

  const item = await storedKey(created.key);
  expect(item).toEqual({
    ...apiKeyPrimaryKey(hashApiKey(created.key)),
    organizationId,
    keyId: created.keyId,
    type: 'website-form',
    label: 'website',
    scopes: ['leads.capture'],
    createdBy: 7,
    createdAt: now.toISOString(),
    expiresAt: Date.parse('2028-02-29T10:00:00.000Z'),
    used: 0,
    windowEndsAt: 0,
  });
  expect(created).toMatchObject({
    scopes: ['leads.capture'],
    expiresAt: '2028-02-29T10:00:00.000Z',
  });
});

test('an application key expires after 90 days, or when requested', async () => {
  const organizationId = await givenOrganizationId();
  const application = {
    ...website,
    type: 'application',
    scopes: ['leads.write'],
    organizationId,
  } as const;

  const usual = await createApiKey(table, application);
  const past = await createApiKey(table, {
    ...application,
    expiresAt: '2020-01-01T00:00:00+05:30',
  });

  expect(usual).toMatchObject({
    scopes: ['leads.read', 'leads.write'],
    expiresAt: '2026-05-30T10:00:00.000Z',
  });
  expect((await storedKey(past.key))?.expiresAt).toBe(Date.parse('2019-12-31T18:30:00Z'));
});

test('API keys are listed oldest first, without the key itself', async () => {
  const organizationId = await givenOrganizationId();
  const later = await createApiKey(table, {
    ...website,
    organizationId,
    label: 'later',
    now: new Date(now.getTime() + 1),
  });
  const first = await createApiKey(table, { ...website, organizationId, label: 'first' });

  const listed = await listApiKeys(table, organizationId);

  expect(listed.map(({ label }) => label)).toEqual(['first', 'later']);
  expect(listed[0]).toEqual({
    keyId: first.keyId,
    label: 'first',
    type: 'website-form',
    scopes: ['leads.capture'],
    createdBy: 7,
    createdAt: now.toISOString(),
    expiresAt: '2028-02-29T10:00:00.000Z',
    revokedAt: null,
  });
  expect(JSON.stringify(listed)).not.toContain(later.key);
});

test('an unknown API key, or one of another organization, is not revoked', async () => {
  const organizationId = await givenOrganizationId();
  const other = await givenOrganizationId();
  const { keyId, key } = await createApiKey(table, { ...website, organizationId: other });

  expect(await revokeApiKey(table, organizationId, 'nothing000', { at: now })).toBeUndefined();
  expect(await revokeApiKey(table, organizationId, keyId, { at: now })).toBeUndefined();
  expect(await storedKey(key)).not.toHaveProperty('revokedAt');
});

test('an inactive user may create an API key; an unknown user, an unknown organization or invalid scopes are refused', async () => {
  const organizationId = await givenOrganizationId();
  const create = (order: object) => createApiKey(table, { ...website, organizationId, ...order });

  await expect(create({ createdBy: 8 })).resolves.toMatchObject({ scopes: ['leads.capture'] });
  await expect(create({ createdBy: 99 })).rejects.toThrow(/no user 99 .* 7 \(Asha Rao\)/);
  await expect(create({ organizationId: 999_999 })).rejects.toThrow(/no organization 999999/);
  await expect(create({ scopes: ['leads.read'] })).rejects.toThrow(ApiKeyError);
  expect(await listApiKeys(table, organizationId)).toHaveLength(1);
});
