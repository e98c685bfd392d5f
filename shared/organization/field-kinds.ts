/** The contract's field types (section 2, LeadField). */
export const fieldTypes = [
  'text',
  'textarea',
  'number',
  'date',
  'phone',
  'email',
  'url',
  'select',
  'multiselect',
  'checkbox',
  'lead_source',
  'user',
] as const;
export type FieldType = (typeof fieldTypes)[number];

/** The keys of the fields that every organization has. */
export const builtInFieldKeys = ['name', 'phone', 'email', 'source', 'assigned_to', 'lead_type'] as const;
export type BuiltInFieldKey = (typeof builtInFieldKeys)[number];
export const isBuiltIn = (fieldKey: string): fieldKey is BuiltInFieldKey =>
  (builtInFieldKeys as readonly string[]).includes(fieldKey);

/** The values of the built-in field `lead_type`. */
export const leadTypes = ['student', 'consultant'] as const;
