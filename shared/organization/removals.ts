import { fieldKinds } from './field-kinds.ts';
import type { Field, Settings } from './organization.ts';

/** The attributes of a lead that the reference check reads. */
export interface ReferencingLead {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly stageId: number;
  readonly pipelineId: number;
}

/** An item of the settings that the next settings lack, or have with another type or in another place. */
export interface Removal {
  /** JSON path in the earlier settings, by ID or key: `$.sources[id=3]`. */
  readonly path: string;
  readonly name: string;
  /** What to do instead, as part of a message. */
  readonly instead: string;
  /** While an item is active, any lead can begin to reference it. */
  readonly wasActive: boolean;
  isReferencedBy(lead: ReferencingLead): boolean;
  /** Set if the item is a user: API keys that the user created also block the removal. */
  readonly userId?: number;
}

const deactivate = 'deactivate it instead ("active": false)';

type Pipeline = Settings['pipelines'][number];

/** The items of `before` that `after` lacks. @param by the property that identifies an item */
const missing = <T>(before: readonly T[], after: readonly T[], by: keyof T): T[] =>
  before.filter((item) => !after.some((kept) => kept[by] === item[by]));

const valueOf = ({ fields }: ReferencingLead, fieldKey: string): unknown =>
  Object.hasOwn(fields, fieldKey) ? fields[fieldKey] : undefined;

/** Every removal between two settings. A field that changes its type, or a stage that changes its pipeline, counts as removed. */
export const removalsBetween = (before: Settings, after: Settings): Removal[] => [
  ...itemRemovals('users', before, after),
  ...itemRemovals('sources', before, after),
  ...pipelineRemovals(before, after),
  ...before.fields.flatMap((field) => fieldRemovals(field, after)),
];

function itemRemovals(list: 'users' | 'sources', before: Settings, after: Settings): Removal[] {
  const fields = [...before.fields, ...after.fields].filter(
    ({ type }) => fieldKinds[type].references === list,
  );
  return missing(before[list], after[list], 'id').map(({ id, name, active }) => ({
    path: `$.${list}[id=${id}]`,
    name,
    instead: deactivate,
    wasActive: active,
    isReferencedBy: (lead) => fields.some(({ key }) => valueOf(lead, key) === id),
    ...(list === 'users' && { userId: id }),
  }));
}

function pipelineRemovals(before: Settings, after: Settings): Removal[] {
  const homes = new Map(
    after.pipelines.flatMap(({ id, stages }) => stages.map((stage) => [stage.id, id] as const)),
  );
  const pipelines = missing(before.pipelines, after.pipelines, 'id').map(
    ({ id, name, stages }) => ({
      path: `$.pipelines[id=${id}]`,
      name,
      instead: 'keep it and deactivate its stages instead',
      wasActive: stages.some(({ active }) => active),
      isReferencedBy: (lead: ReferencingLead) => lead.pipelineId === id,
    }),
  );
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

function fieldRemovals(field: Field, after: Settings): Removal[] {
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
  return missing(field.options, next.options, 'value').map(({ value, label, retired }) => ({
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

const inactive = <T extends { active: boolean }>(item: T): T => ({ ...item, active: false });

/**
 * The next settings, with every removed item kept but inactive. No lead can start to reference it, and leads that already do still show its
 * name.
 */
export const withRemovalsInactive = (before: Settings, after: Settings): Settings => ({
  ...after,
  users: [...after.users, ...missing(before.users, after.users, 'id').map(inactive)],
  sources: [...after.sources, ...missing(before.sources, after.sources, 'id').map(inactive)],
  pipelines: pipelinesWithRemovals(before, after),
  fields: fieldsWithRemovals(before, after),
});

function pipelinesWithRemovals(before: Settings, after: Settings): Pipeline[] {
  const stagesBefore = before.pipelines.flatMap(({ stages }) => stages);
  const gone = missing(before.pipelines, after.pipelines, 'id').map((pipeline) => ({
    ...pipeline,
    isDefault: false,
    stages: [],
  }));
  return [...after.pipelines, ...gone].map((pipeline) => {
    const old = before.pipelines.find(({ id }) => id === pipeline.id)?.stages ?? [];
    const moved = missing(stagesBefore, old, 'id'); // a stage stays in its old pipeline until no lead can be there
    const kept = missing(pipeline.stages, moved, 'id');
    const removed = missing(old, pipeline.stages, 'id').map((stage) => ({
      ...inactive(stage),
      isDefault: false,
    }));
    return { ...pipeline, stages: [...kept, ...removed] };
  });
}

function fieldsWithRemovals(before: Settings, after: Settings): Field[] {
  // Drops the condition, because it can name another removed item.
  const idle = (field: Field): Field => ({ ...inactive(field), showWhen: null });
  const kept = after.fields.map((field) => {
    const old = before.fields.find(({ key }) => key === field.key);
    if (!old) return field;
    if (old.type !== field.type) return idle(old);
    const retired = missing(old.options, field.options, 'value').map((option) => ({
      ...option,
      retired: true as const,
    }));
    return { ...field, options: [...field.options, ...retired] };
  });
  return [...kept, ...missing(before.fields, after.fields, 'key').map(idle)];
}
