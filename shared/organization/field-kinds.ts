import type { LeadField } from '../client/api-types.ts';
import { keysOf } from '../keys-of.ts';

/** The contract's field types (section 2, LeadField). */
export type FieldType = LeadField['type'];

interface FieldKind {
  /** A field of the type lists the options that its values are taken from. */
  readonly hasOptions: boolean;
  /** A value is a list. */
  readonly isList: boolean;
  /** The list of the settings whose IDs are the values; null for values that are no IDs. */
  readonly references: 'sources' | 'users' | null;
}

const plain = { hasOptions: false, isList: false, references: null } as const;

/** What the rest of the service must know of each field type. The compiler asks for a new type here and in every other table by type. */
export const fieldKinds: Readonly<Record<FieldType, FieldKind>> = {
  text: plain,
  textarea: plain,
  number: plain,
  date: plain,
  phone: plain,
  email: plain,
  url: plain,
  select: { ...plain, hasOptions: true },
  multiselect: { ...plain, hasOptions: true, isList: true },
  checkbox: plain,
  lead_source: { ...plain, references: 'sources' },
  user: { ...plain, references: 'users' },
};
export const fieldTypes = keysOf(fieldKinds);

/** The keys of the fields that every organization has. */
export const builtInFieldKeys = [
  'name',
  'phone',
  'email',
  'source',
  'assigned_to',
  'lead_type',
] as const;
export type BuiltInFieldKey = (typeof builtInFieldKeys)[number];
export const isBuiltIn = (fieldKey: string): fieldKey is BuiltInFieldKey =>
  builtInFieldKeys.some((one) => one === fieldKey);

/** The values of the built-in field `lead_type`. */
export const leadTypes = ['student', 'consultant'] as const;

/** The built-in fields: their types, which a settings file cannot change, and their defaults. */
export const builtIns: Readonly<
  Record<
    BuiltInFieldKey,
    { readonly label: string; readonly type: FieldType; readonly alwaysRequired: boolean }
  >
> = {
  name: { label: 'Name', type: 'text', alwaysRequired: true },
  phone: { label: 'Phone', type: 'phone', alwaysRequired: true },
  email: { label: 'Email', type: 'email', alwaysRequired: false },
  source: { label: 'Source', type: 'lead_source', alwaysRequired: false },
  assigned_to: { label: 'Owner', type: 'user', alwaysRequired: false },
  lead_type: { label: 'Lead type', type: 'select', alwaysRequired: false },
};

/** The options of a built-in field if a settings file lists none. */
export const builtInOptions = (fieldKey: BuiltInFieldKey): { value: string; label: string }[] =>
  fieldKey === 'lead_type'
    ? leadTypes.map((value) => ({
        value,
        label: `${value.charAt(0).toUpperCase()}${value.slice(1)}`,
      }))
    : [];
