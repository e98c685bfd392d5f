import { randomUUID } from 'node:crypto';
import { DeleteCommand, PutCommand, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import { storedBytes } from '../../../../shared/base/item-size.ts';
import { settingsLimits } from '../../../../shared/contract/limits.ts';
import { hashApiKey } from '../../../../shared/organization/api-key.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { admitOrganization } from '../../../../shared/store/organizations/admission.ts';
import { createApiKey, revokeApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import {
  applySettings,
  previewSettings,
} from '../../../../shared/store/organizations/apply-settings.ts';
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
        message: expect.stringMatching(new RegExp(`at most ${settingsLimits.maxBytes}`)),
      },
    ],
  });
  expect(await readSettings(patientTable, settings.id)).toBeUndefined();
});

test('settings of the maximum size are stored unchanged', async () => {
  const settings = newSettings();
  const spare =
    settingsLimits.maxBytes - Buffer.byteLength(JSON.stringify({ ...settings, name: '' }));
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

  expect(Buffer.byteLength(JSON.stringify(settings))).toBeLessThan(settingsLimits.maxBytes);
  await expect(applySettings(patientTable, settings)).rejects.toMatchObject({
    name: 'SettingsRejectedError',
    issues: refusals,
  });
  expect(preview.refusals).toEqual(refusals);
  expect(await readSettings(patientTable, settings.id)).toBeUndefined();
});

test('the computed size of an item of many small parts exceeds that of the engine by eight bytes at most', async () => {
  const { client, name: TableName } = patientTable;
  const partsOf = (pk: string) => ({ pk, sk: 'PARTS', settings: withRules(200) });
  const unitsOf = async (pk: string, spare: number): Promise<number | undefined> => {
    const Item = { ...partsOf(pk), filling: 'x'.repeat(spare) };
    const put = { TableName, Item, ReturnConsumedCapacity: 'TOTAL' } as const;
    const { ConsumedCapacity } = await client.send(new PutCommand(put));
    return ConsumedCapacity?.CapacityUnits;
  };
  const pk = `SIZE#${randomUUID()}`;
  const kilobytes = 30;
  // Unlike a map in it, an item has no bytes beside those of its names and values.
  const asMap = { ...partsOf(pk), filling: '' };
  const spare = kilobytes * 1024 - (storedBytes(asMap) - 3 - Object.keys(asMap).length);

  expect(await unitsOf(pk, spare)).toBe(kilobytes);
  expect(await unitsOf(pk, spare + 8)).toBe(kilobytes + 1);
  await client.send(new DeleteCommand({ TableName, Key: { pk, sk: 'PARTS' } }));
});

test('a request in the millisecond in which a window ends takes the first token of the next one', async () => {
  const { id } = await givenOrganizationWithoutKeys({}, table);
  const admit = async (at: number) =>
    (await admitOrganization(table, id, new Date(at), false)).bucket;
  const { resetsAt } = await admit(now.getTime());

  expect(await admit(resetsAt)).toMatchObject({ remaining: 2999, resetsAt: resetsAt + 3_600_000 });
});
