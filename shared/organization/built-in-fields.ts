import type { FieldType } from './field-kinds.ts';

/** The fields that every organization has. Apart from their labels and options, because functions need no more of them. */
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

/** The owner's. The assignment rules choose one if none is sent. */
export const ownerKey = 'assigned_to' satisfies BuiltInKey;

/** A request must send them, whatever the settings say. */
export const alwaysRequired: readonly string[] = ['name', 'phone'] satisfies BuiltInKey[];

/** The values of a new lead's fields that are sent without one (settings-file.md, "Fields"). */
export const fieldDefaults = { lead_type: 'student' } as const satisfies Partial<
  Record<BuiltInKey, string>
>;

/** The fields of which every lead has a value. */
export const neverEmpty = /* @__PURE__ */ alwaysRequired.concat(
  /* @__PURE__ */ Object.keys(fieldDefaults),
);

export interface BuiltIn {
  readonly label: string;
  readonly type: FieldType;
  readonly options?: readonly { readonly value: string; readonly label: string }[];
}

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
export const builtInNamed = (fieldKey: string): BuiltIn | undefined =>
  isBuiltIn(fieldKey) ? builtIns[fieldKey] : undefined;
