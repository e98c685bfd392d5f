import { type BuiltInFieldKey, builtInFieldKeys, type FieldType, leadTypes } from './field-kinds.ts';

/** The fields that every organization has: what a settings file may not change of them, and what holds when it leaves them out. */
const facts: Record<BuiltInFieldKey, { readonly label: string; readonly type: FieldType; readonly alwaysRequired: boolean }> = {
  name: { label: 'Name', type: 'text', alwaysRequired: true },
  phone: { label: 'Phone', type: 'phone', alwaysRequired: true },
  email: { label: 'Email', type: 'email', alwaysRequired: false },
  source: { label: 'Source', type: 'lead_source', alwaysRequired: false },
  assigned_to: { label: 'Owner', type: 'user', alwaysRequired: false },
  lead_type: { label: 'Lead type', type: 'select', alwaysRequired: false },
};

export const builtInType = (fieldKey: BuiltInFieldKey): FieldType => facts[fieldKey].type;
export const isAlwaysRequired = (fieldKey: BuiltInFieldKey): boolean => facts[fieldKey].alwaysRequired;

/** The options of a built-in select when the file names none. */
export const builtInOptions = (fieldKey: BuiltInFieldKey): { value: string; label: string }[] =>
  fieldKey === 'lead_type'
    ? leadTypes.map((value) => ({ value, label: `${value.charAt(0).toUpperCase()}${value.slice(1)}` }))
    : [];

/** The built-in fields as they stand when a file says nothing of them, in their own order. */
export const builtInFields = () =>
  builtInFieldKeys.map((key) => ({
    key,
    label: facts[key].label,
    type: facts[key].type,
    section: 'Contact',
    storage: 'column' as const,
    options: builtInOptions(key),
    requiredOnCreate: isAlwaysRequired(key),
    requiredOnEdit: isAlwaysRequired(key),
    showWhen: null,
    active: true,
  }));
