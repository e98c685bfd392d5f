import { GetCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, expect, test } from 'vitest';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { parseSettingsFile, toSettingsFile } from '../../../../shared/organization/settings.ts';
import { applySettings } from '../../../../shared/store/organizations/apply-settings.ts';
import {
  loadOrganization,
  readSettings,
} from '../../../../shared/store/organizations/organizations.ts';
import { usagePrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { newSettings } from '../../../support/organizations.ts';
import { service } from '../../../support/service.ts';
import { tableOf } from '../../../support/table.ts';
import { smallFile } from '../../organization/settings-cases.ts';

const table = tableOf(service().environment);
afterAll(() => table.client.destroy());

const smallSettings = (): Settings => newSettings(smallFile());
const usage = async (id: number) =>
  (await table.client.send(new GetCommand({ TableName: table.name, Key: usagePrimaryKey(id) })))
    .Item;

test('a new organization can be loaded, and its usage begins at zero', async () => {
  const settings = smallSettings();

  const applied = await applySettings(table, settings);

  expect(applied).toEqual({ outcome: 'created', version: 1, before: undefined });
  expect((await readSettings(table, settings.id))?.settings).toEqual(settings);
  expect((await loadOrganization(table, settings.id))?.stageById.get(21)).toMatchObject({
    pipelineId: 2,
    isDefault: false,
  });
  expect(await usage(settings.id)).toMatchObject({
    settingsVersion: 1,
    lastLeadId: 0,
    used: 0,
    windowEndsAt: 0,
  });
});

test('an unknown organization is read as undefined', async () => {
  expect(await loadOrganization(table, 999_999)).toBeUndefined();
});

test('applying the current settings, or the file that show prints, writes nothing', async () => {
  const settings = smallSettings();
  await applySettings(table, settings);
  const before = await readSettings(table, settings.id);
  const shown = parseSettingsFile(JSON.stringify(toSettingsFile(before!.settings))).settings;

  expect(await applySettings(table, shown)).toMatchObject({ outcome: 'unchanged', version: 1 });
  expect(await readSettings(table, settings.id)).toEqual(before);
});

test('a new version of the settings keeps the counters of leads and tokens', async () => {
  const settings = smallSettings();
  await applySettings(table, settings);
  await table.client.send(
    new UpdateCommand({
      TableName: table.name,
      Key: usagePrimaryKey(settings.id),
      UpdateExpression: 'SET lastLeadId = :lead, used = :used, windowEndsAt = :end',
      ExpressionAttributeValues: { ':lead': 41, ':used': 12, ':end': 99 },
    }),
  );

  const applied = await applySettings(table, { ...settings, name: 'Renamed' });

  expect(applied).toEqual({ outcome: 'updated', version: 2, before: settings });
  expect(await usage(settings.id)).toMatchObject({
    settingsVersion: 2,
    lastLeadId: 41,
    used: 12,
    windowEndsAt: 99,
  });
});

test('simultaneous applies get a version each', async () => {
  const settings = smallSettings();
  await applySettings(table, settings);

  const applied = await Promise.all(
    [1, 2, 3, 4, 5].map((turn) => applySettings(table, { ...settings, name: `Name ${turn}` })),
  );

  expect(applied.map(({ version }) => version).sort()).toEqual([2, 3, 4, 5, 6]);
  expect(await usage(settings.id)).toMatchObject({ settingsVersion: 6 });
  expect((await readSettings(table, settings.id))?.version).toBe(6);
}, 20_000);
