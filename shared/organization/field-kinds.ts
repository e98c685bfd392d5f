import { keysOf } from '../base/maps.ts';
import type { LeadField } from '../contract/types.ts';

/** The contract's field types (section 2, LeadField). */
export type FieldType = LeadField['type'];

interface FieldKind {
  /** A field of the type lists the options that its values are taken from. */
  readonly hasOptions: boolean;
  readonly isList: boolean;
  /** The list of the settings whose IDs are the values; null for values that are no IDs. */
  readonly references: 'sources' | 'users' | null;
  /** Every value that there is, as a condition writes it; null for a type with other values. */
  readonly fixedValues: readonly string[] | null;
}

const plain = { hasOptions: false, isList: false, references: null, fixedValues: null } as const;

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
  checkbox: { ...plain, fixedValues: ['true', 'false'] },
  lead_source: { ...plain, references: 'sources' },
  user: { ...plain, references: 'users' },
};
export const fieldTypes = /* @__PURE__ */ keysOf(fieldKinds);

export interface BuiltIn {
  readonly label: string;
  readonly type: FieldType;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

/** The fields that every organization has. Apart, because functions need no more of them. */
export const builtInFieldKeys = [
  'name',
  'phone',
  'email',
  'source',
  'assigned_to',
  'lead_type',
] as const;
type BuiltInKey = (typeof builtInFieldKeys)[number];
export const isBuiltIn = (fieldKey: string): fieldKey is BuiltInKey =>
  builtInFieldKeys.some((key) => key === fieldKey);

/** Their types, which a settings file cannot change, and the defaults of what it can. */
export const builtIns = {
  name: { label: 'Name', type: 'text' },
  phone: { label: 'Phone', type: 'phone' },
  email: { label: 'Email', type: 'email' },
  source: { label: 'Source', type: 'lead_source' },
  assigned_to: { label: 'Owner', type: 'user' },
  lead_type: {
    label: 'Lead type',
    type: 'select',
    options: [
      { value: 'student', label: 'Student' },
      { value: 'consultant', label: 'Consultant' },
    ],
  },
} as const satisfies Readonly<Record<BuiltInKey, BuiltIn>>;
export const builtInNamed = (fieldKey = ''): BuiltIn | undefined =>
  isBuiltIn(fieldKey) ? builtIns[fieldKey] : undefined;
