import { fieldKinds, isBuiltIn } from './field-kinds.ts';
import type { Settings, SettingsField } from './settings-types.ts';

/** The attributes of a lead that the reference check reads. */
export interface ReferencingLead {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly stageId: number;
  readonly pipelineId: number;
}

/** An item of the settings that the next settings do not have, or have with another type or place. */
export interface Removal {
  /** JSON path in the earlier settings, by ID or key: `$.sources[id=3]`. */
  readonly path: string;
  readonly name: string;
  /** What to do instead, as part of a message. */
  readonly instead: string;
  /** While an item is active, any lead can begin to reference it. */
  readonly wasActive: boolean;
  isReferencedBy(lead: ReferencingLead): boolean;
  /** Of a user: API keys that the user created also block the removal. */
  readonly userId?: number;
}

const deactivate = 'deactivate it instead ("active": false)';

type Pipeline = Settings['pipelines'][number];
type Stage = Pipeline['stages'][number];

const missing = <T extends { id: number }>(before: readonly T[], after: readonly T[]): T[] =>
  before.filter(({ id }) => !after.some((kept) => kept.id === id));

const valueOf = (lead: ReferencingLead, fieldKey: string): unknown =>
  Object.hasOwn(lead.fields, fieldKey) ? lead.fields[fieldKey] : undefined;

/** Every removal between two settings. A field that changes its type, or a stage that changes its pipeline, counts as removed. */
export function removalsBetween(before: Settings, after: Settings): Removal[] {
  const keysReferencing = (items: 'sources' | 'users'): string[] => [
    ...new Set(
      [...before.fields, ...after.fields]
        .filter(({ type }) => fieldKinds[type].references === items)
        .map(({ key }) => key),
    ),
  ];
  const holds = (fieldKeys: readonly string[], id: number) => (lead: ReferencingLead) =>
    fieldKeys.some((key) => valueOf(lead, key) === id);
  const userKeys = keysReferencing('users');
  const sourceKeys = keysReferencing('sources');
  return [
    ...missing(before.users, after.users).map(({ id, name, active }) => ({
      path: `$.users[id=${id}]`,
      name,
      instead: deactivate,
      wasActive: active,
      isReferencedBy: holds(userKeys, id),
      userId: id,
    })),
    ...missing(before.sources, after.sources).map(({ id, name, active }) => ({
      path: `$.sources[id=${id}]`,
      name,
      instead: deactivate,
      wasActive: active,
      isReferencedBy: holds(sourceKeys, id),
    })),
    ...pipelineRemovals(before, after),
    ...before.fields.flatMap((field) => fieldRemovals(field, after)),
  ];
}

function pipelineRemovals(before: Settings, after: Settings): Removal[] {
  const homes = new Map(
    after.pipelines.flatMap(({ id, stages }) => stages.map((stage) => [stage.id, id] as const)),
  );
  const pipelines = missing(before.pipelines, after.pipelines).map(({ id, name, stages }) => ({
    path: `$.pipelines[id=${id}]`,
    name,
    instead: 'keep it and deactivate its stages instead',
    wasActive: stages.some(({ active }) => active),
    isReferencedBy: (lead: ReferencingLead) => lead.pipelineId === id,
  }));
  const stages = before.pipelines.flatMap((pipeline) =>
    pipeline.stages
      .filter(({ id }) => homes.get(id) !== pipeline.id)
      .map(({ id, name, active }) => ({
        path: `$.pipelines[id=${pipeline.id}].stages[id=${id}]`,
        name,
        instead: homes.has(id)
          ? `leave it in pipeline ${pipeline.id} and give pipeline ${homes.get(id)} a new stage instead`
          : deactivate,
        wasActive: active,
        isReferencedBy: (lead: ReferencingLead) => lead.stageId === id,
      })),
  );
  return [...pipelines, ...stages];
}

function fieldRemovals(field: SettingsField, after: Settings): Removal[] {
  const path = `$.fields[key=${JSON.stringify(field.key)}]`;
  const next = after.fields.find(({ key }) => key === field.key);
  const has = (lead: ReferencingLead): boolean => valueOf(lead, field.key) !== undefined;
  const removal = { name: field.label, wasActive: field.active, isReferencedBy: has };
  if (!next) return [{ ...removal, path, instead: deactivate }];
  if (next.type !== field.type) {
    return [
      {
        ...removal,
        path: `${path}.type`,
        instead: `leave its type ${field.type} and add a field with another key instead`,
      },
    ];
  }
  return missingOptions(field, next).map(({ value, label, retired }) => ({
    path: `${path}.options[value=${JSON.stringify(value)}]`,
    name: label,
    instead: 'keep it, or change those leads first',
    wasActive: field.active && !retired,
    isReferencedBy: (lead: ReferencingLead) => {
      const current = valueOf(lead, field.key);
      return Array.isArray(current) ? current.includes(value) : current === value;
    },
  }));
}

const missingOptions = (field: SettingsField, next: SettingsField) =>
  field.options.filter(({ value }) => !next.options.some((kept) => kept.value === value));

/** The next settings plus every removed item, inactive: no lead can begin to reference it, and leads that do still show its name. */
export function withRemovalsInactive(before: Settings, after: Settings): Settings {
  const inactive = <T extends { active: boolean }>(item: T): T => ({ ...item, active: false });
  return {
    ...after,
    users: [...after.users, ...missing(before.users, after.users).map(inactive)],
    sources: [...after.sources, ...missing(before.sources, after.sources).map(inactive)],
    pipelines: pipelinesWithRemovals(before, after),
    fields: fieldsWithRemovals(before, after),
  };
}

function pipelinesWithRemovals(before: Settings, after: Settings): Pipeline[] {
  const homeBefore = new Map(
    before.pipelines.flatMap(({ id, stages }) => stages.map((stage) => [stage.id, id] as const)),
  );
  const isMoved = (stage: Stage, pipelineId: number): boolean =>
    (homeBefore.get(stage.id) ?? pipelineId) !== pipelineId;
  const removed = (pipeline: Pipeline): Stage[] => {
    const kept = after.pipelines.find(({ id }) => id === pipeline.id)?.stages ?? [];
    return missing(pipeline.stages, kept).map((stage) => ({
      ...stage,
      isDefault: false,
      active: false,
    }));
  };
  return [
    ...after.pipelines.map((pipeline) => {
      const old = before.pipelines.find(({ id }) => id === pipeline.id);
      // A moved stage stays in its old pipeline until no lead can be there.
      const own = pipeline.stages.filter((stage) => !isMoved(stage, pipeline.id));
      return { ...pipeline, stages: [...own, ...(old ? removed(old) : [])] };
    }),
    ...missing(before.pipelines, after.pipelines).map((pipeline) => ({
      ...pipeline,
      isDefault: false,
      stages: removed(pipeline),
    })),
  ];
}

function fieldsWithRemovals(before: Settings, after: Settings): SettingsField[] {
  // Without its condition, which can name another removed item.
  const idle = (field: SettingsField): SettingsField => ({
    ...field,
    active: false,
    showWhen: null,
  });
  const kept = after.fields.map((field) => {
    const old = before.fields.find(({ key }) => key === field.key);
    if (!old) return field;
    if (old.type !== field.type) return idle(old);
    const retired = missingOptions(old, field).map((option) => ({
      ...option,
      retired: true as const,
    }));
    return retired.length > 0 ? { ...field, options: [...field.options, ...retired] } : field;
  });
  const gone = before.fields.filter(
    ({ key }) => !isBuiltIn(key) && !after.fields.some((field) => field.key === key),
  );
  return [...kept, ...gone.map(idle)];
}
