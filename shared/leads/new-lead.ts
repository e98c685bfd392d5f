import { ApiError } from '../contract/errors.ts';
import { limits } from '../contract/limits.ts';
import { fieldDefaults, ownerKey } from '../organization/built-in-fields.ts';
import type { Organization, Stage } from '../organization/organization.ts';
import { chooseRotation, type Rotation } from './assignment.ts';
import { activeFields, FieldIssues, isAskedFor } from './fields.ts';
import { type FieldValues, type Lead, type LeadFields, leadFieldsOf, valueOf } from './lead.ts';
import { assertLeadFits } from './lead-size.ts';
import { defaultPipelineId, startingStage } from './placement.ts';

/** Thrown when an organization has used up its lead IDs, so that it cannot have new leads. */
export class LeadIdsExhaustedError extends Error {
  override readonly name = 'LeadIdsExhaustedError';
}

/**
 * The ID of a new lead.
 * @param leadSequence the organization's sequence, already advanced for this lead; it can exceed the last ID
 * @throws LeadIdsExhaustedError
 */
export function newLeadId(organizationId: number, leadSequence: number): number {
  if (leadSequence <= limits.idMax) return leadSequence;
  throw new LeadIdsExhaustedError(`Organization ${organizationId} has no lead IDs left.`);
}

export function newLead({ id, organizationId, fields, stage, owner, now }: NewLead): Lead {
  return {
    id,
    organizationId,
    version: 1,
    fields: { ...fields, [ownerKey]: owner },
    stageId: stage.id,
    pipelineId: stage.pipelineId,
    createdAt: now,
    updatedAt: now,
  };
}

export interface NewLead extends Pick<Lead, 'id' | 'organizationId' | 'fields'> {
  readonly stage: Pick<Stage, 'id' | 'pipelineId'>;
  readonly owner: number;
  /** ISO 8601, UTC. */
  readonly now: string;
}

export interface LeadStart {
  readonly fields: LeadFields;
  readonly stage: Stage;
  /** The rotation that chooses the owner; undefined if the fields name an owner, or if the lead needs none. */
  readonly rotation: Rotation | undefined;
}

/**
 * Applies the rules that every new lead must meet: required fields, an owner, and a size that DynamoDB can store.
 * @param issues the issues found so far; if `stage` is undefined, one of them says why
 * @throws ApiError VALIDATION_FAILED with every issue
 */
export function startLead(
  organization: Organization,
  { submitted, stage, mayLackOwner = false }: SubmittedLead,
  issues: FieldIssues,
): LeadStart {
  const fields = newLeadFields(organization, submitted, issues);
  const needsOwner = !mayLackOwner && valueOf(fields, ownerKey) === null;
  const rotation =
    stage && needsOwner ? chooseRotation(organization, fields, stage.pipelineId) : undefined;
  if (stage && needsOwner && !rotation)
    issues.add(
      ownerKey,
      'no_active_owner',
      'is required: the organization has no active user to own new leads.',
    );
  issues.throwIfAny();
  assertLeadFits(fields);
  if (!stage) throw new Error('A lead without a stage passed the rules.');
  return { fields: leadFieldsOf(fields), stage, rotation };
}

interface SubmittedLead {
  readonly submitted: FieldValues;
  readonly stage: Stage | undefined;
  readonly mayLackOwner?: boolean;
}

/**
 * Like `startLead`, but for a capture, which names neither stage nor owner: if the organization has none, it is not ready.
 * @throws ApiError VALIDATION_FAILED, NOT_READY
 */
export function startCapturedLead(
  organization: Organization,
  submitted: FieldValues,
  pipelineId: number | undefined,
): LeadStart & { readonly rotation: Rotation } {
  const issues = new FieldIssues();
  const fields = newLeadFields(organization, submitted, issues);
  issues.throwIfAny();
  assertLeadFits(fields);
  const stage = startingStage(organization, pipelineId ?? defaultPipelineId(organization));
  const rotation = stage && chooseRotation(organization, fields, stage.pipelineId);
  if (stage && rotation) return { fields: leadFieldsOf(fields), stage, rotation };
  const place = pipelineId === undefined ? 'The organization' : `Pipeline ${pipelineId}`;
  const sentence = stage
    ? 'The organization has no active user to own new leads.'
    : `${place} has no stage for new leads.`;
  throw new ApiError('NOT_READY', undefined, sentence);
}

/**
 * A new lead's fields: the lead type defaults to student (settings-file.md, "Fields"). Reports each field that is required on create and
 * was not submitted. The default does not satisfy a required lead type. An owner is never required, because the assignment rules choose
 * one.
 */
export function newLeadFields(
  organization: Organization,
  submitted: FieldValues,
  issues: FieldIssues,
): FieldValues {
  const fields = { ...fieldDefaults, ...submitted };
  for (const field of activeFields(organization)) {
    const isRequired =
      field.requiredOnCreate && field.key !== ownerKey && isAskedFor(field, fields);
    if (isRequired && valueOf(submitted, field.key) === null)
      issues.add(field.key, 'required', 'is required.');
  }
  return fields;
}
