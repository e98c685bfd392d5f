import type { Organization, Person, Source, Stage } from '../organization/organization.ts';

/** A field's value as a lead holds it: never empty (an empty field is absent). Numbers of `lead_source` and `user` fields are ids. */
export type FieldValue = string | number | boolean | readonly string[];
/** By field key, the built-in fields included. */
export type FieldValues = Readonly<Record<string, FieldValue>>;

/** A lead as the rules and the store know it. `presentLead` gives it the contract's shape. */
export interface Lead {
  readonly id: number;
  readonly organizationId: number;
  /** Grows by one with each write of the lead: optimistic locking. */
  readonly version: number;
  /** Every field that is not empty, built-in and inactive ones included: `name`, `phone` (E.164), `lead_type` always. */
  readonly fields: FieldValues;
  readonly stageId: number;
  readonly pipelineId: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt?: string;
}

/** A field's value, null when empty. Own properties only: `constructor` is a field key like any other. */
export function valueOf(fields: FieldValues, fieldKey: string): FieldValue | null {
  return Object.hasOwn(fields, fieldKey) ? (fields[fieldKey] ?? null) : null;
}

const idOf = (fields: FieldValues, fieldKey: string): number | null => valueOf(fields, fieldKey) as number | null;
export const phoneOf = (lead: Pick<Lead, 'fields'>): string => valueOf(lead.fields, 'phone') as string;
export const emailOf = (lead: Pick<Lead, 'fields'>): string | null => valueOf(lead.fields, 'email') as string | null;
export const sourceIdOf = (lead: Pick<Lead, 'fields'>): number | null => idOf(lead.fields, 'source');
export const ownerIdOf = (lead: Pick<Lead, 'fields'>): number | null => idOf(lead.fields, 'assigned_to');
