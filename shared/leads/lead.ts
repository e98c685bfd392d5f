import type { Lead as ContractLead, NamedRef } from '../contract/types.ts';
import { isBuiltIn, neverEmpty } from '../organization/built-in-fields.ts';
import type { Organization } from '../organization/organization.ts';

/** A field's value as a lead holds it, never empty: an empty field is absent. The values of `lead_source` and `user` fields are IDs. */
export type FieldValue = string | number | boolean | readonly string[];
export const isFieldValue = (value: unknown): value is FieldValue =>
  ['string', 'number', 'boolean'].includes(typeof value) ||
  (Array.isArray(value) && value.every((item) => typeof item === 'string'));
/** Values by field key, including built-in fields. */
export type FieldValues = Readonly<Record<string, FieldValue>>;
/** All fields of a lead that are not empty, including built-in and inactive ones. */
export type LeadFields = FieldValues & {
  readonly name: string;
  /** E.164. */
  readonly phone: string;
  readonly lead_type: string;
  readonly email?: string;
  /** IDs. */
  readonly source?: number;
  readonly assigned_to?: number;
};

/** Narrows fields that have passed the rules, which guarantee a name, a phone and a type. */
export function leadFieldsOf(fields: FieldValues): LeadFields {
  if (isWhole(fields)) return fields;
  throw new Error('A lead without a name, a phone or a type passed the rules.');
}

const isWhole = (fields: FieldValues): fields is LeadFields =>
  neverEmpty.every((key) => typeof fields[key] === 'string');

/** A lead as the rules and the store know it. `presentLead` gives it the contract's shape. */
export interface Lead {
  readonly id: number;
  readonly organizationId: number;
  /**
   * The number of entries on its timeline. Every request that changes the lead or adds to its timeline increments it: optimistic locking.
   */
  readonly version: number;
  readonly fields: LeadFields;
  readonly stageId: number;
  readonly pipelineId: number;
  /** ISO 8601, UTC, milliseconds. */
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt?: string;
}

/** A field's value, or null if it is empty. Reads own properties only: `constructor` is a valid field key. */
export function valueOf(fields: FieldValues, fieldKey: string): FieldValue | null {
  return Object.hasOwn(fields, fieldKey) ? (fields[fieldKey] ?? null) : null;
}

/** The contract's Lead (section 2), with every property present. */
type PresentedLead = Omit<ContractLead, 'leadType' | 'fields'> & {
  readonly leadType: string;
  readonly fields: FieldValues;
};

const namedRef = (found: NamedRef | undefined): NamedRef | null =>
  found ? { id: found.id, name: found.name } : null;

/** A lead in the contract's shape. Names come from the settings, so that a renamed stage or user shows at once. */
export function presentLead(organization: Organization, lead: Lead): PresentedLead {
  const { fields } = lead;
  const { phone, email = null, source: sourceId = null, assigned_to: ownerId = null } = fields;
  const stage = organization.stageById.get(lead.stageId);
  return {
    id: lead.id,
    name: fields.name,
    phone,
    email,
    leadType: fields.lead_type,
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

/** All active fields that are not built in, in form order. */
function otherFields(organization: Organization, fields: FieldValues): FieldValues {
  const presented: Record<string, FieldValue> = {};
  for (const { key, active } of organization.fields) {
    const value = active && !isBuiltIn(key) ? valueOf(fields, key) : null;
    if (value !== null) presented[key] = value;
  }
  return presented;
}
