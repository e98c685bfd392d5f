import { customField, sampleSettings } from '../../support/settings.ts';

/** The organizations of a simulation: the same people ask both, while nothing else of one is like the other's. */
export const organizationIds = [1, 12] as const;

/** A field, an option of a field, a source, and a stage (12). */
export const removables = ['wave', 'design', 'Facebook Ads', 'enrolled'] as const;
export type Removable = (typeof removables)[number];

/** What an administrator changes in the settings during a history. */
export interface SettingsVariant {
  /** Whether the field `wave` is active. */
  readonly hasWave: boolean;
  /** Whether the second of the two active users is active. */
  readonly hasSecondUser: boolean;
  /** What is removed from the settings, if no lead has it. @default nothing */
  readonly lacks?: Removable;
  /** Stands in the names of stages, so that every answer says of which settings it was made. */
  readonly epoch: number;
}

export const firstVariant: SettingsVariant = { hasWave: true, hasSecondUser: true, epoch: 0 };

/** The ids of one organization's items: another's are elsewhere. */
export const idIn = (organizationId: number, id: number): number =>
  organizationId === 1 ? id : id + 100;

/** A settings file. */
export function settingsFile(
  organizationId: number,
  { hasWave, hasSecondUser, lacks, epoch }: SettingsVariant,
) {
  const own = (id: number): number => idIn(organizationId, id);
  const named = (name: string): string => (organizationId === 1 ? name : `${name} of twelve`);
  const { users, pipelines, sources, fields } = sampleSettings;
  return {
    ...sampleSettings,
    id: organizationId,
    name: named(`Epoch ${epoch}`),
    users: users.map((user) => ({
      ...user,
      id: own(user.id),
      name: named(user.name),
      ...(user.id === 8 && !hasSecondUser && { active: false }),
    })),
    pipelines: pipelines.map((pipeline) => ({
      ...pipeline,
      id: own(pipeline.id),
      name: named(pipeline.name),
      stages: pipeline.stages
        .filter(({ slug }) => slug !== lacks)
        .map((stage) => ({
          ...stage,
          id: own(stage.id),
          name: named(`${stage.name} ${epoch}`),
        })),
    })),
    sources: sources
      .filter(({ name }) => name !== lacks)
      .map((source) => ({
        ...source,
        id: own(source.id),
        name: sourceName(organizationId, source.name),
      })),
    fields: [
      ...fields.map((field) => withoutOption(field, lacks)),
      ...(lacks === 'wave' ? [] : [customField('wave', 'text', { active: hasWave })]),
    ],
    assignmentRules: [{ when: { field: 'course', equals: ['mba'] }, users: [own(8), own(7)] }],
  };
}

function withoutOption(
  field: { readonly options?: readonly { readonly value: string }[] },
  removed: string | undefined,
): object {
  return field.options
    ? { ...field, options: field.options.filter(({ value }) => value !== removed) }
    : field;
}

/** `Website` is the source of a capture that names none. */
const sourceName = (organizationId: number, name: string): string =>
  organizationId === 1 || name === 'Website' ? name : `${name} of twelve`;

/** API keys that an organization begins with. */
export const firstKeys = {
  website: { type: 'website-form', scopes: ['leads.capture'] },
  writer: { type: 'application', scopes: ['leads.read', 'leads.write'] },
  reader: { type: 'application', scopes: ['leads.read'] },
} as const;
export type KeyKind = keyof typeof firstKeys;
