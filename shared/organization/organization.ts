import { alwaysRequired } from './built-in-fields.ts';
import type { SettingsFile, WrittenFile } from './settings-schema.ts';

export interface FieldOption {
  value: string;
  label: string;
  /** The option is being removed: leads that have it still show it, but it is no longer offered or accepted. Never in a file. */
  retired?: true;
}

type FileField = SettingsFile['fields'][number];
type FileRule = SettingsFile['assignmentRules'][number];

export interface Field extends FileField {
  /** Empty unless the type is `select` or `multiselect`. */
  options: FieldOption[];
  requiredOnCreate: boolean;
  requiredOnEdit: boolean;
}

/** An organization's settings: the file (settings-file.md, "The settings file") with every default filled in and all built-in fields. */
export interface Settings extends Omit<SettingsFile, '$schema' | 'version' | 'keys'> {
  /** In form order. */
  fields: Field[];
  /** In the order in which they are tried, with users by ID. */
  assignmentRules: (Omit<FileRule, 'users'> & { users: number[] })[];
}

/**
 * Settings as they are stored. An optional property can be absent, if an earlier release stored the settings before the property existed.
 */
export interface SettingsAsStored
  extends Omit<WrittenFile, '$schema' | 'version' | 'keys' | 'fields' | 'assignmentRules'> {
  fields: (Omit<WrittenFile['fields'][number], 'options'> & {
    options?: FieldOption[] | undefined;
  })[];
  assignmentRules?: Settings['assignmentRules'];
}

const filled =
  <Defaults extends object>(defaults: Defaults) =>
  <Item>(item: Item) => ({ ...defaults, ...item });

/** Settings with a default for each absent property. The compiler requires one for each new property. */
export const settingsFrom = (stored: SettingsAsStored): Settings => ({
  assignmentRules: [],
  ...stored,
  users: stored.users.map(filled({ active: true })),
  pipelines: stored.pipelines.map(filled({ isDefault: false })).map((pipeline) => ({
    ...pipeline,
    stages: pipeline.stages.map(filled({ active: true, isDefault: false })),
  })),
  sources: stored.sources.map(filled({ active: true })),
  fields: stored.fields.map((field) => {
    const requiredOnCreate = alwaysRequired.includes(field.key);
    const required = { requiredOnCreate, requiredOnEdit: requiredOnCreate };
    return filled({ options: [], showWhen: null, active: true, ...required })(field);
  }),
});

export type AssignmentRule = Settings['assignmentRules'][number];
export type User = Settings['users'][number];
export type Source = Settings['sources'][number];
export type Pipeline = Omit<Settings['pipelines'][number], 'stages'>;
export type Stage = Settings['pipelines'][number]['stages'][number] & {
  readonly pipelineId: number;
};

/** An organization's settings as the rules use them: lists in the contract's order, and maps by ID or key. Both include inactive items. */
export interface Organization {
  readonly id: number;
  readonly name: string;
  /** Grows by one with each apply. */
  readonly version: number;
  readonly modules: readonly string[];
  /** In form order. */
  readonly fields: readonly Field[];
  readonly fieldByKey: ReadonlyMap<string, Field>;
  /** In pipeline order. */
  readonly pipelines: readonly Pipeline[];
  readonly pipelineById: ReadonlyMap<number, Pipeline>;
  /** In pipeline order, each pipeline's stages in order. */
  readonly stages: readonly Stage[];
  readonly stageById: ReadonlyMap<number, Stage>;
  readonly sources: readonly Source[];
  readonly sourceById: ReadonlyMap<number, Source>;
  readonly users: readonly User[];
  readonly userById: ReadonlyMap<number, User>;
  readonly assignmentRules: readonly AssignmentRule[];
}

const byOrder = (a: { order: number; id: number }, b: { order: number; id: number }): number =>
  a.order - b.order || a.id - b.id;
const byId = <T extends { id: number }>(items: readonly T[]): ReadonlyMap<number, T> =>
  new Map(items.map((item) => [item.id, item]));

export function organizationFrom(settings: Settings, version: number): Organization {
  const ordered = [...settings.pipelines].sort(byOrder);
  const pipelines = ordered.map(({ stages: _, ...pipeline }) => pipeline);
  const stages = ordered.flatMap(({ id: pipelineId, stages: ofPipeline }) =>
    [...ofPipeline].sort(byOrder).map((stage) => ({ ...stage, pipelineId })),
  );
  return {
    ...settings,
    version,
    fieldByKey: new Map(settings.fields.map((field) => [field.key, field])),
    pipelines,
    pipelineById: byId(pipelines),
    stages,
    stageById: byId(stages),
    sourceById: byId(settings.sources),
    userById: byId(settings.users),
  };
}

/** The source of captures that name no source, or an unknown one (contract, section 4.3). */
export const defaultSourceName = 'Website';
