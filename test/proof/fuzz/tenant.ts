import { randomInt } from 'node:crypto';
import type { Table } from '../../../shared/store/table/client.ts';
import { givenOrganization } from '../../support/organizations.ts';
import { sampleSettings } from '../../support/settings.ts';

/** Who calls: the keys of one organization, each with its label. A request names a key by its label, so that it is the same in a replay. */
export interface Tenant {
  readonly organizationId: number;
  readonly keys: Readonly<Record<KeyLabel, string>>;
  /** Stands in the names of this organization's settings, and in no other's. */
  readonly mark: string;
}

export type KeyLabel = 'all' | 'reader' | 'writer' | 'website' | 'expired';

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
  const organization = await givenOrganization({ ...different, users: named }, table);
  const { id: organizationId, reader, writer, website } = organization;
  const [all, expired] = await Promise.all([
    organization.key(),
    organization.key({ expiresAt: new Date('2020-01-01T00:00:00Z') }),
  ]);
  return {
    organizationId,
    mark,
    keys: { all: all.key, reader, writer, website, expired: expired.key },
  };
}
