import { randomInt } from 'node:crypto';
import { limits } from '../../shared/limits.ts';
import { parseSettingsFile } from '../../shared/organization/settings.ts';
import { removeOrganization } from '../../shared/store/maintenance/remove-organization.ts';
import { createApiKey } from '../../shared/store/organizations/api-keys.ts';
import {
  listOrganizations,
  readSettings,
  replaceSettings,
} from '../../shared/store/organizations/organizations.ts';
import type { Table } from '../../shared/store/table/client.ts';

/** The name by which a later run finds an organization that a killed run left behind. */
export const temporaryName = 'Temporary organization of npm run verify';
const keyHours = 1;
const hourMs = 3_600_000;
/** High IDs, so that an organization of a person hardly ever has one of them. */
const idMin = 2_000_000_000;

/** Every idempotency key that the checks send, so that a removal finds their records. */
export const idempotencyKeys = {
  newLead: 'verify-new-lead',
  otherName: 'verify-other-name',
  race: 'verify-race',
} as const;

export interface TemporaryKey {
  readonly key: string;
  readonly keyId: string;
}

export interface TemporaryOrganization {
  readonly id: number;
  readonly reader: TemporaryKey;
  readonly writer: TemporaryKey;
  readonly website: TemporaryKey;
}

/** IDs in the settings below. */
export const settingsIds = {
  stage: 11,
  nextStage: 12,
  pipeline: 1,
  otherPipeline: 2,
  otherStage: 21,
  source: 1,
  otherSource: 2,
  users: [1, 2],
} as const;

const stage = (id: number, name: string, order: number, isDefault: boolean) => ({
  id,
  name,
  slug: name.toLowerCase(),
  order,
  meaning: 'open',
  isDefault,
});
const settings = {
  name: temporaryName,
  modules: ['crm'],
  users: settingsIds.users.map((id) => ({ id, name: `User ${id}` })),
  pipelines: [
    {
      id: settingsIds.pipeline,
      name: 'First',
      order: 1,
      isDefault: true,
      stages: [
        stage(settingsIds.stage, 'New', 1, true),
        stage(settingsIds.nextStage, 'Next', 2, false),
      ],
    },
    {
      id: settingsIds.otherPipeline,
      name: 'Second',
      order: 2,
      stages: [stage(settingsIds.otherStage, 'Begin', 1, true)],
    },
  ],
  sources: [
    { id: settingsIds.source, name: 'Website' },
    { id: settingsIds.otherSource, name: 'Fair' },
  ],
  fields: [
    { key: 'city', label: 'City', type: 'text', section: 'Person', storage: 'custom' },
    { key: 'budget', label: 'Budget', type: 'number', section: 'Person', storage: 'custom' },
  ],
};

/** An ID that no organization of the table has. */
export async function freeOrganizationId(table: Table): Promise<number> {
  for (;;) {
    const id = randomInt(idMin, limits.idMax);
    if (!(await readSettings(table, id))) return id;
  }
}

/** Creates the organization and its keys, which expire after an hour, whatever becomes of the run. */
export async function createTemporaryOrganization(
  table: Table,
  id: number,
  now = new Date(),
): Promise<TemporaryOrganization> {
  const file = JSON.stringify({ ...settings, id });
  const action = { who: 'npm run verify', what: 'organization apply' };
  const version = await replaceSettings(table, {
    before: undefined,
    settings: parseSettingsFile(file).settings,
    now,
    action,
  });
  if (version === undefined) throw new Error(`Organization ${id} was created by someone else.`);
  const expiresAt = new Date(now.getTime() + keyHours * hourMs).toISOString();
  const common = { organizationId: id, createdBy: settingsIds.users[0], expiresAt, now };
  const application = { ...common, type: 'application' } as const;
  return {
    id,
    reader: await createApiKey(table, {
      ...application,
      label: 'verify reader',
      scopes: ['leads.read'],
    }),
    writer: await createApiKey(table, {
      ...application,
      label: 'verify writer',
      scopes: ['leads.write'],
    }),
    website: await createApiKey(table, {
      ...common,
      type: 'website-form',
      label: 'verify website',
    }),
  };
}

/** Removes a temporary organization, whole or half created. @returns the number of items deleted */
export const removeTemporaryOrganization = (table: Table, id: number): Promise<number> =>
  removeOrganization(table, id, Object.values(idempotencyKeys));

/** The temporary organizations of runs that were killed: their keys have expired, so no run uses them any more. */
export async function leftOrganizations(table: Table, now = new Date()): Promise<number[]> {
  const named = (await listOrganizations(table)).filter(
    ({ id, name }) => id >= idMin && name === temporaryName,
  );
  const left: number[] = [];
  for (const { id } of named) {
    const stored = await readSettings(table, id);
    // Without settings, a removal was interrupted.
    const appliedAt = stored ? Date.parse(stored.appliedAt) : 0;
    if (now.getTime() - appliedAt > keyHours * hourMs) left.push(id);
  }
  return left;
}
