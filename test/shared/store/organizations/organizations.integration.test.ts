import { ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { storedBytes } from '../../../../shared/item-size.ts';
import { limits } from '../../../../shared/limits.ts';
import { hashApiKey } from '../../../../shared/organization/api-key.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { createApiKey, revokeApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import {
  applySettings,
  previewSettings,
} from '../../../../shared/store/organizations/apply-settings.ts';
import { readKeptSettings } from '../../../../shared/store/organizations/audit-log.ts';
import { readSettings } from '../../../../shared/store/organizations/organizations.ts';
import { apiKeyPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { givenOrganizationWithoutKeys, newSettings } from '../../../support/organizations.ts';
import { service } from '../../../support/service.ts';
import { givenTable, tableOf } from '../../../support/table.ts';

const table = await givenTable();
afterAll(() => table.client.destroy());

const now = new Date('2026-03-01T10:00:00.000Z');
const website = { type: 'website-form', label: 'website', createdBy: 7, now } as const;
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

test('an API key of another organization is not revoked', async () => {
  const [one, other] = [
    await givenOrganizationWithoutKeys({}, table),
    await givenOrganizationWithoutKeys({}, table),
  ];
  const { keyId, key } = await createApiKey(table, { ...website, organizationId: other.id });

  expect(await revokeApiKey(table, one.id, keyId)).toBeUndefined();
  expect(await storedKey(key)).not.toHaveProperty('revokedAt');
});

/** With the time-out of the administrator's commands: an engine needs seconds for items of 100,000 parts. */
const patientTable = tableOf(service().environment, {
  requestHandler: { requestTimeout: 30_000, throwOnRequestTimeout: true },
});
afterAll(() => patientTable.client.destroy());

test('settings that are too large are refused with their size', async () => {
  const settings = newSettings();
  settings.users = Array.from({ length: 4000 }, (_, index) => ({
    id: index + 1,
    name: 'n'.repeat(60),
    active: true,
  }));

  await expect(applySettings(patientTable, settings)).rejects.toMatchObject({
    name: 'SettingsRejectedError',
    issues: [
      {
        path: '$',
        message: expect.stringMatching(new RegExp(`at most ${limits.settingsMaxBytes}`)),
      },
    ],
  });
  expect(await readSettings(patientTable, settings.id)).toBeUndefined();
});

test('settings of the maximum size are stored unchanged', async () => {
  const settings = newSettings();
  const spare =
    limits.settingsMaxBytes - Buffer.byteLength(JSON.stringify({ ...settings, name: '' }));
  const full = { ...settings, name: 'n'.repeat(spare) };

  await applySettings(patientTable, full);

  expect((await readSettings(patientTable, settings.id))?.settings).toEqual(full);
});

const users = Array.from({ length: 9 }, (_, index) => index + 1);

/** Rules for the same few users: JSON needs fewer bytes for them than DynamoDB. */
const rules = (count: number): Settings['assignmentRules'] =>
  Array.from({ length: count }, () => ({ users }));

const withRules = (count: number): Settings => ({
  ...newSettings(),
  users: users.map((id) => ({ id, name: 'A', active: true })),
  assignmentRules: rules(count),
});

test('settings whose many small parts do not fit into an item are refused, though their JSON is small', async () => {
  const settings = withRules(11_000);
  const refusals = [
    {
      path: '$',
      message: expect.stringMatching(/ are stored as \d+ bytes, but must be at most 395000$/),
    },
  ];

  const preview = await previewSettings(patientTable, settings);

  expect(Buffer.byteLength(JSON.stringify(settings))).toBeLessThan(limits.settingsMaxBytes);
  await expect(applySettings(patientTable, settings)).rejects.toMatchObject({
    name: 'SettingsRejectedError',
    issues: refusals,
  });
  expect(preview.refusals).toEqual(refusals);
  expect(await readSettings(patientTable, settings.id)).toBeUndefined();
});

test('settings of many small parts that just fit into an item are stored, and kept when replaced', async () => {
  // An engine needs seconds for a hundred thousand parts: the name is as long as JSON's own limit allows.
  const empty = { ...withRules(0), name: 'n'.repeat(150_000) };
  const ofRule = storedBytes(rules(2)) - storedBytes(rules(1));
  const count = Math.floor(
    (limits.settingsItemMaxBytes - storedBytes({ settings: empty })) / ofRule,
  );
  const settings = { ...empty, assignmentRules: rules(count) };

  await applySettings(patientTable, settings);
  await applySettings(patientTable, { ...settings, name: 'N' });

  expect((await readSettings(patientTable, settings.id))?.settings.assignmentRules).toEqual(
    settings.assignmentRules,
  );
  expect(await readKeptSettings(patientTable, settings.id, 1)).toEqual(settings);
});
