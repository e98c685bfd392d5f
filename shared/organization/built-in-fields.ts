import {
  type BuiltInFieldKey,
  builtInFieldKeys,
  type FieldType,
  leadTypes,
} from './field-kinds.ts';

/** The built-in fields: their types, which a settings file cannot change, and their defaults. */
const properties: Record<
  BuiltInFieldKey,
  { readonly label: string; readonly type: FieldType; readonly alwaysRequired: boolean }
> = {
  name: { label: 'Name', type: 'text', alwaysRequired: true },
  phone: { label: 'Phone', type: 'phone', alwaysRequired: true },
  email: { label: 'Email', type: 'email', alwaysRequired: false },
  source: { label: 'Source', type: 'lead_source', alwaysRequired: false },
  assigned_to: { label: 'Owner', type: 'user', alwaysRequired: false },
  lead_type: { label: 'Lead type', type: 'select', alwaysRequired: false },
};

export const builtInType = (fieldKey: BuiltInFieldKey): FieldType => properties[fieldKey].type;
export const isAlwaysRequired = (fieldKey: BuiltInFieldKey): boolean =>
  properties[fieldKey].alwaysRequired;

/** The options of a built-in field if a settings file lists none. */
export const builtInOptions = (fieldKey: BuiltInFieldKey): { value: string; label: string }[] =>
  fieldKey === 'lead_type'
    ? leadTypes.map((value) => ({
        value,
        label: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
      }))
    : [];

/** The built-in fields, as they are if a settings file does not mention them. */
export const builtInFields = () =>
  builtInFieldKeys.map((key) => ({
    key,
    label: properties[key].label,
    type: properties[key].type,
    section: 'Contact',
    storage: 'column' as const,
    options: builtInOptions(key),
    requiredOnCreate: isAlwaysRequired(key),
    requiredOnEdit: isAlwaysRequired(key),
    showWhen: null,
    active: true,
  }));
