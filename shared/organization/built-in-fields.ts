import type { FieldType } from './field-kinds.ts';

/** The fields that every organization has. Without labels and options, because functions need only the keys. */
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

/** The key of the owner's field. The assignment rules choose an owner if a request sends none. */
export const ownerKey = 'assigned_to' satisfies BuiltInKey;

/** Every request for a new lead must send these fields, whatever the settings say. */
export const alwaysRequired: readonly string[] = ['name', 'phone'] satisfies BuiltInKey[];

/** The values that a new lead gets in fields that the request omits (settings-file.md, "Fields"). */
export const fieldDefaults = { lead_type: 'student' } as const satisfies Partial<
  Record<BuiltInKey, string>
>;

/** The fields that have a value in every lead. */
export const neverEmpty = /* @__PURE__ */ alwaysRequired.concat(
  /* @__PURE__ */ Object.keys(fieldDefaults),
);

export interface BuiltIn {
  readonly label: string;
  readonly type: FieldType;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

/** The types of the built-in fields, which a settings file cannot change, and default labels and options, which it can. */
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
export const builtInNamed = (fieldKey: string): BuiltIn | undefined =>
  isBuiltIn(fieldKey) ? builtIns[fieldKey] : undefined;
