import type { Field } from '../organization/organization.ts';

/** The contract's LeadField (section 2). */
export const presentField = ({ key, label, type, section, storage, options, requiredOnCreate, requiredOnEdit, showWhen }: Field) => ({
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
