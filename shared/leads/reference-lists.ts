import type { Field, Organization, Pipeline, Stage } from '../organization/organization.ts';

/** The contract's LeadField (section 2). */
export const presentField = ({
  key,
  label,
  type,
  section,
  storage,
  options,
  requiredOnCreate,
  requiredOnEdit,
  showWhen,
}: Field) => ({
  key,
  label,
  type,
  section,
  storage,
  options: options.filter(({ retired }) => !retired).map(({ value, label }) => ({ value, label })),
  requiredOnCreate,
  requiredOnEdit,
  showWhen,
});

/** The contract's Stage (section 2). */
export const presentStage = ({ id, name, slug, order, meaning, isDefault, pipelineId }: Stage) => ({
  id,
  name,
  slug,
  order,
  meaning,
  isDefault,
  pipelineId,
});

/** The contract's Pipeline (section 2). */
export const presentPipeline = ({ id, name, order, isDefault }: Pipeline) => ({
  id,
  name,
  order,
  isDefault,
});

let collator: Intl.Collator | undefined;

/** The collator takes 5 ms to make, so it is made when names are first compared. */
function byName(a: string, b: string): number {
  collator ??= new Intl.Collator('en', { sensitivity: 'base', numeric: true });
  return collator.compare(a, b);
}

/** Active sources or users as NamedRefs, sorted by name (contract, section 4.7). */
export const presentNamed = (items: Organization['sources'] | Organization['users']) =>
  items
    .filter(({ active }) => active)
    .map(({ id, name }) => ({ id, name }))
    .sort((a, b) => byName(a.name, b.name) || a.id - b.id);
