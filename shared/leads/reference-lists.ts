import type {
  Pipeline as ContractPipeline,
  Stage as ContractStage,
  LeadField,
  NamedRef,
} from '../contract/types.ts';
import type { Field, Organization, Pipeline, Stage } from '../organization/organization.ts';

/** Picks the properties that responses show: items of the settings have more. */
const pick = <T extends object, Name extends keyof T>(item: T, ...names: Name[]): Pick<T, Name> =>
  Object.fromEntries(names.map((name) => [name, item[name]])) as Pick<T, Name>;

/** The contract's LeadField (section 2). */
export const presentField = (field: Field): LeadField => ({
  ...pick(field, 'key', 'label', 'type', 'section', 'storage'),
  options: field.options
    .filter(({ retired }) => !retired)
    .map((option) => pick(option, 'value', 'label')),
  ...pick(field, 'requiredOnCreate', 'requiredOnEdit', 'showWhen'),
});

/** The contract's Stage (section 2). */
export const presentStage = (stage: Stage): ContractStage =>
  pick(stage, 'id', 'name', 'slug', 'order', 'meaning', 'isDefault', 'pipelineId');

/** The contract's Pipeline (section 2). */
export const presentPipeline = (pipeline: Pipeline): ContractPipeline =>
  pick(pipeline, 'id', 'name', 'order', 'isDefault');

let collator: Intl.Collator | undefined;

/** Creating the collator takes 5 ms, so it is created when names are first compared. */
function byName(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  return collator.compare(a, b);
}

/** Active sources or users as NamedRefs, sorted by name (contract, section 4.7). */
export const presentNamed = (items: Organization['sources'] | Organization['users']): NamedRef[] =>
  items
    .filter(({ active }) => active)
    .map((item) => pick(item, 'id', 'name'))
    .sort((a, b) => byName(a.name, b.name) || a.id - b.id);
