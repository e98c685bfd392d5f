import { afterAll, expect, test } from 'vitest';
import { storedBytes } from '../../../../shared/item-size.ts';
import { limits } from '../../../../shared/limits.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import {
  applySettings,
  previewSettings,
} from '../../../../shared/store/organizations/apply-settings.ts';
import { readKeptSettings } from '../../../../shared/store/organizations/audit-log.ts';
import { readSettings } from '../../../../shared/store/organizations/organizations.ts';
import { newSettings } from '../../../support/organizations.ts';
import { service } from '../../../support/service.ts';
import { tableOf } from '../../../support/table.ts';

/** With the time-out of the administrator's commands: an engine needs seconds for items of 100,000 parts. */
const table = tableOf(service().environment, {
  requestHandler: { requestTimeout: 30_000, throwOnRequestTimeout: true },
});
afterAll(() => table.client.destroy());

test('settings that are too large are refused with their size', async () => {
  const settings = newSettings();
  settings.users = Array.from({ length: 4000 }, (_, index) => ({
    id: index + 1,
    name: 'n'.repeat(60),
    active: true,
  }));

  await expect(applySettings(table, settings)).rejects.toMatchObject({
    name: 'SettingsRejectedError',
    issues: [
      {
        path: '$',
        message: expect.stringMatching(new RegExp(`at most ${limits.settingsMaxBytes}`)),
      },
    ],
  });
  expect(await readSettings(table, settings.id)).toBeUndefined();
});

test('settings of the maximum size are stored unchanged', async () => {
  const settings = newSettings();
  const spare =
    limits.settingsMaxBytes - Buffer.byteLength(JSON.stringify({ ...settings, name: '' }));
  const full = { ...settings, name: 'n'.repeat(spare) };

  await applySettings(table, full);

  expect((await readSettings(table, settings.id))?.settings).toEqual(full);
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

  const preview = await previewSettings(table, settings);

  expect(Buffer.byteLength(JSON.stringify(settings))).toBeLessThan(limits.settingsMaxBytes);
  await expect(applySettings(table, settings)).rejects.toMatchObject({
    name: 'SettingsRejectedError',
    issues: refusals,
  });
  expect(preview.refusals).toEqual(refusals);
  expect(await readSettings(table, settings.id)).toBeUndefined();
});

test('settings of many small parts that just fit into an item are stored, and kept when replaced', async () => {
  // An engine needs seconds for a hundred thousand parts: the name is as long as JSON's own limit allows.
  const empty = { ...withRules(0), name: 'n'.repeat(150_000) };
  const ofRule = storedBytes(rules(2)) - storedBytes(rules(1));
  const count = Math.floor(
    (limits.settingsItemMaxBytes - storedBytes({ settings: empty })) / ofRule,
  );
  const settings = { ...empty, assignmentRules: rules(count) };

  await applySettings(table, settings);
  await applySettings(table, { ...settings, name: 'N' });

  expect((await readSettings(table, settings.id))?.settings.assignmentRules).toEqual(
    settings.assignmentRules,
  );
  expect(await readKeptSettings(table, settings.id, 1)).toEqual(settings);
});
