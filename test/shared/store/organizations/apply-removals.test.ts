import { expect, test } from 'vitest';
import { limits } from '../../../../shared/contract/limits.ts';
import type { Settings } from '../../../../shared/organization/organization.ts';
import { parseSettingsFile, toSettingsFile } from '../../../../shared/organization/settings.ts';
import { SettingsRejectedError } from '../../../../shared/organization/settings-shape.ts';
import { createApiKey } from '../../../../shared/store/organizations/api-keys.ts';
import {
  applySettings,
  SettingsChangedError,
} from '../../../../shared/store/organizations/apply-settings.ts';
import { readSettings } from '../../../../shared/store/organizations/organizations.ts';
import { replaceSettings } from '../../../../shared/store/organizations/replace-settings.ts';
import { leadPrimaryKey } from '../../../../shared/store/table/primary-keys.ts';
import { put, writeItem } from '../../../../shared/store/table/writes.ts';
import { modelTable } from '../../../support/model-table.ts';
import { newSettings } from '../../../support/organizations.ts';
import { smallFile } from '../../organization/settings-cases.ts';

const table = modelTable();

const smallSettings = (): Settings => newSettings(smallFile());
const noWait = { wait: async () => undefined };
const putLead = (organizationId: number, leadId: number, more: object = {}) => {
  const lead = { fields: { name: 'A' }, stageId: 11, pipelineId: 1, version: 1, ...more };
  return writeItem(table, put({ ...leadPrimaryKey(organizationId, leadId), ...lead }));
};

/** The issues for which an apply is rejected. */
async function refusal(
  settings: Settings,
  options: Parameters<typeof applySettings>[2] = noWait,
): Promise<SettingsRejectedError> {
  try {
    await applySettings(table, settings, options);
  } catch (error) {
    if (error instanceof SettingsRejectedError) return error;
    throw error;
  }
  throw new Error('The settings were applied.');
}

const without = (settings: Settings, change: (draft: Settings) => void): Settings => {
  const draft = structuredClone(settings);
  change(draft);
  return draft;
};
const removals: [what: string, lead: object, change: (draft: Settings) => void, path: string][] = [
  [
    'a user',
    { fields: { assigned_to: 10 } },
    (draft) => (draft.users = draft.users.filter(({ id }) => id !== 10)),
    '$.users[id=10]',
  ],
  [
    'a source',
    { fields: { source: 4 } },
    (draft) => (draft.sources = draft.sources.filter(({ id }) => id !== 4)),
    '$.sources[id=4]',
  ],
  ['a field', { fields: { city: 'Pune' } }, (draft) => draft.fields.pop(), '$.fields[key="city"]'],
  [
    'an option',
    { fields: { course: 'design' } },
    (draft) => draft.fields[6]!.options.pop(),
    '$.fields[key="course"].options[value="design"]',
  ],
  [
    'an option of several',
    { fields: { course: ['x', 'design'] } },
    (draft) => draft.fields[6]!.options.pop(),
    '$.fields[key="course"].options[value="design"]',
  ],
  [
    "a field's type",
    { fields: { city: 'Pune' } },
    (draft) => (draft.fields[8]!.type = 'textarea'),
    '$.fields[key="city"].type',
  ],
  [
    'a stage',
    { stageId: 12 },
    (draft) => draft.pipelines[0]!.stages.pop(),
    '$.pipelines[id=1].stages[id=12]',
  ],
  [
    "a stage's pipeline",
    { stageId: 12 },
    (draft) => draft.pipelines[1]!.stages.push(draft.pipelines[0]!.stages.pop()!),
    '$.pipelines[id=1].stages[id=12]',
  ],
];

test.each(removals)(
  'an apply does not remove %s that a lead uses, and removes it if no lead does',
  async (_, lead, change, path) => {
    const settings = smallSettings();
    await applySettings(table, settings);
    await putLead(settings.id, 1, lead);
    await putLead(settings.id, 2, { ...lead, archivedAt: '2026-01-01T00:00:00.000Z' });
    const fewer = without(settings, change);

    const { issues } = await refusal(fewer);

    expect(issues).toEqual([{ path, message: expect.stringMatching(/still used by 2 leads: /) }]);
    expect(await readSettings(table, settings.id)).toMatchObject({ version: 1, settings });

    await putLead(settings.id, 1);
    await putLead(settings.id, 2);
    const { before } = await applySettings(table, fewer, noWait);

    expect(before).toEqual(settings);
    expect((await readSettings(table, settings.id))?.settings).toEqual(fewer);
  },
);

test('a rejected apply names a pipeline and each of its stages that are in use', async () => {
  const settings = smallSettings();
  await applySettings(table, settings);
  await putLead(settings.id, 5, { stageId: 21, pipelineId: 2 });

  const { issues } = await refusal(without(settings, (draft) => draft.pipelines.pop()));

  expect(issues.map(({ path }) => path)).toEqual([
    '$.pipelines[id=2]',
    '$.pipelines[id=2].stages[id=21]',
  ]);
});

test('an apply does not remove the creator of an API key, and names the key', async () => {
  const settings = smallSettings();
  await applySettings(table, settings);
  const { keyId } = await createApiKey(table, {
    organizationId: settings.id,
    type: 'website-form',
    label: 'w',
    createdBy: 10,
    now: new Date(),
  });

  const { issues } = await refusal(
    without(settings, (draft) => (draft.users = draft.users.filter(({ id }) => id !== 10))),
  );

  expect(issues).toEqual([
    { path: '$.users[id=10]', message: expect.stringContaining(`creator of API key ${keyId}`) },
  ]);
});

const dropCity = (settings: Settings): Settings => without(settings, (draft) => draft.fields.pop());
const dropDesign = (settings: Settings): Settings =>
  without(settings, (draft) => draft.fields[6]!.options.pop());

test('an interrupted apply leaves items deactivated, and its repeat removes them', async () => {
  const settings = smallSettings();
  await applySettings(table, settings);
  const killed = async (): Promise<void> => {
    throw new Error('killed');
  };
  const fewer = dropDesign(dropCity(settings));
  await expect(applySettings(table, fewer, { wait: killed })).rejects.toThrow('killed');
  const waits: number[] = [];

  const left = await readSettings(table, settings.id);
  const shown = parseSettingsFile(JSON.stringify(toSettingsFile(left!.settings))).settings;
  await applySettings(table, fewer, { wait: async (ms) => void waits.push(ms) });

  expect(shown.fields.at(-1)).toMatchObject({ key: 'city', active: false });
  expect(left?.settings.fields[6]?.options.at(-1)).toMatchObject({
    value: 'design',
    retired: true,
  });
  expect(waits).toHaveLength(1);
  expect(waits[0]).toBeLessThanOrEqual((limits.functionTimeoutSeconds + 1) * 1000);
  expect((await readSettings(table, settings.id))?.settings).toEqual(fewer);
});

test.each([-3_600_000, 3_600_000])(
  'a removal of inactive items waits for the longest request, with a clock %i ms off',
  async (skewMs) => {
    const settings = smallSettings();
    const inactive = without(settings, (draft) => (draft.fields.at(-1)!.active = false));
    const now = new Date(Date.now() + skewMs);
    const action = { who: 'a test', what: 'organization apply' };
    await replaceSettings(table, { before: undefined, settings: inactive, now, action });
    const waits: number[] = [];
    const wait = async (ms: number): Promise<void> => {
      waits.push(ms);
      await putLead(settings.id, 1, { fields: { city: 'Pune' } });
    };

    const { issues } = await refusal(dropCity(inactive), { wait });

    expect(issues.map(({ path }) => path)).toEqual(['$.fields[key="city"]']);
    expect(waits).toHaveLength(1);
    expect(waits[0]).toBeGreaterThan(limits.functionTimeoutSeconds * 1000);
    expect(waits[0]).toBeLessThanOrEqual((limits.functionTimeoutSeconds + 1) * 1000);
  },
);

test('an apply during the wait wins, and the removal of inactive items is refused', async () => {
  const before = without(smallSettings(), (draft) => (draft.fields.at(-1)!.active = false));
  await applySettings(table, before);
  const between = without(before, (draft) => (draft.fields.at(-1)!.active = true));
  between.name = 'Between';
  const wait = () => applySettings(table, between, noWait);

  await expect(applySettings(table, dropCity(before), { wait })).rejects.toThrow(
    SettingsChangedError,
  );

  expect((await readSettings(table, before.id))?.settings).toEqual(between);
});
