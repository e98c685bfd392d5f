import { limits } from '../limits.ts';
import { isBuiltIn } from '../organization/field-kinds.ts';
import type { Organization, Stage } from '../organization/organization.ts';

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

/** Thrown when an organization has given out every id that a lead can have: it takes no new lead any more. */
export class LeadIdsExhaustedError extends Error {
  override readonly name = 'LeadIdsExhaustedError';
}

/**
 * The id of a new lead.
 * @param leadSequence of the organization, advanced for this lead alone; it goes on beyond the last id
 * @throws LeadIdsExhaustedError
 */
export function newLeadId(organizationId: number, leadSequence: number): number {
  if (leadSequence <= limits.idMax) return leadSequence;
  throw new LeadIdsExhaustedError(`Organization ${organizationId} has no lead ids left.`);
}

/** A lead as it begins. @param lead `now` in ISO 8601, UTC */
export function newLead({ id, organizationId, fields, stage, owner, now }: NewLead): Lead {
  return {
    id,
    organizationId,
    version: 1,
    fields: { ...fields, assigned_to: owner },
    stageId: stage.id,
    pipelineId: stage.pipelineId,
    createdAt: now,
    updatedAt: now,
  };
}

interface NewLead extends Pick<Lead, 'id' | 'organizationId' | 'fields'> {
  readonly stage: Pick<Stage, 'id' | 'pipelineId'>;
  /** The owner's user id. */
  readonly owner: number;
  readonly now: string;
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

interface NamedRef {
  readonly id: number;
  readonly name: string;
}

/** The contract's lead (section 2): all properties always there, no others. */
export interface PresentedLead {
  readonly id: number;
  readonly name: string;
  readonly phone: string;
  readonly email: string | null;
  readonly leadType: string;
  readonly stageId: number | null;
  readonly pipelineId: number;
  readonly sourceId: number | null;
  readonly assignedTo: number | null;
  readonly stage: (NamedRef & { readonly meaning: string }) | null;
  readonly pipeline: NamedRef | null;
  readonly source: NamedRef | null;
  readonly owner: NamedRef | null;
  readonly fields: FieldValues;
  readonly createdAt: string;
  readonly updatedAt: string;
}

const namedRef = (found: NamedRef | undefined): NamedRef | null => (found ? { id: found.id, name: found.name } : null);

/** A lead in the contract's shape; names are joined from the settings, so a renamed stage or person shows at once. */
export function presentLead(organization: Organization, lead: Lead): PresentedLead {
  const { fields } = lead;
  const stage = organization.stageById.get(lead.stageId);
  const sourceId = sourceIdOf(lead);
  const ownerId = ownerIdOf(lead);
  return {
    id: lead.id,
    name: valueOf(fields, 'name') as string,
    phone: phoneOf(lead),
    email: emailOf(lead),
    leadType: valueOf(fields, 'lead_type') as string,
    stageId: lead.stageId,
    pipelineId: lead.pipelineId,
    sourceId,
    assignedTo: ownerId,
    stage: stage ? { id: stage.id, name: stage.name, meaning: stage.meaning } : null,
    pipeline: namedRef(organization.pipelineById.get(lead.pipelineId)),
    source: namedRef(sourceId === null ? undefined : organization.sourceById.get(sourceId)),
    owner: namedRef(ownerId === null ? undefined : organization.userById.get(ownerId)),
    fields: otherFields(organization, fields),
    createdAt: lead.createdAt,
    updatedAt: lead.updatedAt,
  };
}

/** Every active field that has no property of its own, in form order. */
function otherFields(organization: Organization, fields: FieldValues): FieldValues {
  const others: Record<string, FieldValue> = {};
  for (const { key, active } of organization.fields) {
    const value = active && !isBuiltIn(key) ? valueOf(fields, key) : null;
    if (value !== null) others[key] = value;
  }
  return others;
}
