import type { Organization } from '../organization/organization.ts';
import { changeTimeOf, differing } from './changes.ts';
import type { RawValue } from './field-values.ts';
import { activeFields, applyChanges, FieldIssues, readFields, requireOnEdit } from './fields.ts';
import { type Lead, leadFieldsOf } from './lead.ts';
import { assertLeadFits } from './lead-size.ts';
import { placeLead, type RequestedPlace } from './placement.ts';

export interface RequestedUpdate extends RequestedPlace {
  readonly fields?: Readonly<Record<string, RawValue>> | undefined;
}

/**
 * Applies the requested changes to a lead by the organization's rules (contract, section 4.5).
 * @throws ApiError VALIDATION_FAILED with every issue of its fields, its stage and its pipeline
 */
export function updatedLead(
  organization: Organization,
  before: Lead,
  requested: RequestedUpdate,
  now: Date,
): Lead {
  const issues = new FieldIssues();
  const changes = readFields(
    organization,
    differing(organization, before, requested.fields ?? {}),
    activeFields(organization),
    issues,
  );
  const fields = applyChanges(before.fields, changes);
  requireOnEdit(organization, before.fields, changes, issues);
  const isMoved = requested.stageId !== undefined || requested.pipelineId !== undefined;
  const stage = isMoved ? placeLead(organization, requested, issues, before.stageId) : undefined;
  issues.throwIfAny();
  assertLeadFits(fields, Object.keys(changes));
  return {
    ...before,
    fields: leadFieldsOf(fields),
    stageId: stage?.id ?? before.stageId,
    pipelineId: stage?.pipelineId ?? before.pipelineId,
    updatedAt: changeTimeOf(before, now),
  };
}
