import { randomInt } from 'node:crypto';
import type { Scope } from '../../shared/endpoints.ts';
import { apiKeyScopes } from '../../shared/endpoints.ts';
import type { Table } from '../../shared/store/table/client.ts';
import { givenOrganizationWithoutKeys } from '../support/organizations.ts';
import { sampleSettings } from '../support/settings.ts';

/** Who calls: the keys of one organization, each with its label. A request names a key by its label, so that it is the same in a replay. */
export interface Tenant {
  readonly organizationId: number;
  readonly keys: Readonly<Record<KeyLabel, string>>;
  /** Stands in the names of this organization's settings, and in no other's. */
  readonly mark: string;
}

const scopesByLabel = {
  all: apiKeyScopes,
  reader: ['leads.read'],
  writer: ['leads.write'],
  website: ['leads.capture'],
} as const satisfies Record<string, readonly Scope[]>;
export type KeyLabel = keyof typeof scopesByLabel | 'expired';

/** The kinds of organization that are called, in the order of the episodes: one as it should be, and states that one passes through. */
const kinds: readonly ((settings: typeof sampleSettings) => object)[] = [
  (settings) => settings,
  ({ fields }) => ({
    fields: fields.map((field) => ({
      ...field,
      requiredOnEdit: true,
      requiredOnCreate: 'options' in field,
    })),
    assignmentRules: [
      { when: { field: 'course', equals: ['mba'] }, users: [7, 8] },
      { users: [8] },
    ],
  }),
  ({ users }) => ({ users: users.map((user) => ({ ...user, active: false })) }),
  (settings) => settings,
  () => ({ pipelines: [], sources: [] }),
  ({ fields }) => ({
    fields: fields.map((field, at) =>
      at === 0 ? { ...field, showWhen: { field: 'course', equals: ['mba'] } } : field,
    ),
  }),
];

/** A new organization of the kind that is the episode's turn, with keys. */
export async function newTenant(table: Table, episode: number): Promise<Tenant> {
  const mark = `Mark-${randomInt(1e9)}-${randomInt(1e9)}`;
  const kind = kinds[episode % kinds.length] as (settings: typeof sampleSettings) => object;
  const different = kind(sampleSettings);
  const { users } = { ...sampleSettings, ...different };
  const named = users.map((user) => ({ ...user, name: `${user.name} ${mark}` }));
  const { id, key } = await givenOrganizationWithoutKeys({ ...different, users: named }, table);
  const labels = Object.keys(scopesByLabel) as (keyof typeof scopesByLabel)[];
  const created = await Promise.all([
    ...labels.map(
      async (label) => [label, (await key({ scopes: scopesByLabel[label], label })).key] as const,
    ),
    key({ label: 'expired', expiresAt: new Date('2020-01-01T00:00:00Z') }).then(
      (expired) => ['expired', expired.key] as const,
    ),
  ]);
  return {
    organizationId: id,
    mark,
    keys: Object.fromEntries(created) as Record<KeyLabel, string>,
  };
}
