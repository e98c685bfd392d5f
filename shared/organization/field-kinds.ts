import { keysOf } from '../base/maps.ts';
import type { LeadField } from '../contract/types.ts';

/** The contract's field types (section 2, LeadField). */
export type FieldType = LeadField['type'];

/** What a cell of a spreadsheet holds. */
export type CellType = 'text' | 'number' | 'date' | 'truth value';

interface FieldKind {
  /** Fields of this type list the options that are their values. */
  readonly hasOptions: boolean;
  readonly isList: boolean;
  /** The list in the settings whose IDs are the values; null if the values are not IDs. */
  readonly references: 'sources' | 'users' | null;
  /** All possible values, as a condition writes them; null if a type has no fixed list of values. */
  readonly fixedValues: readonly string[] | null;
  readonly cell: CellType;
}

const plain = {
  hasOptions: false,
  isList: false,
  references: null,
  fixedValues: null,
  cell: 'text',
} as const;

/**
 * What the rest of the service must know of each field type. The compiler rejects this table, and every other one by type, until it has a
 * row for a new type.
 */
export const fieldKinds: Readonly<Record<FieldType, FieldKind>> = {
  text: plain,
  textarea: plain,
  number: { ...plain, cell: 'number' },
  date: { ...plain, cell: 'date' },
  phone: plain,
  email: plain,
  url: plain,
  select: { ...plain, hasOptions: true },
  multiselect: { ...plain, hasOptions: true, isList: true },
  checkbox: { ...plain, fixedValues: ['true', 'false'], cell: 'truth value' },
  lead_source: { ...plain, references: 'sources' },
  user: { ...plain, references: 'users' },
};
export const fieldTypes = /* @__PURE__ */ keysOf(fieldKinds);
