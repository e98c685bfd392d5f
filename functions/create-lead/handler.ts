import * as v from 'valibot';
import { createLead as row } from '../../shared/contract/endpoints.ts';
import { activeFields, applyChanges, FieldIssues, readFields } from '../../shared/leads/fields.ts';
import { emailIdentity, readPhone } from '../../shared/leads/identity.ts';
import { presentLead } from '../../shared/leads/lead.ts';
import { type LeadStart, newLead, newLeadId, startLead } from '../../shared/leads/new-lead.ts';
import { placeLead } from '../../shared/leads/placement.ts';
import { byApi } from '../../shared/leads/timeline.ts';
import { duplicateLead } from '../../shared/middleware/duplicate-lead.ts';
import { endpoint } from '../../shared/middleware/endpoint.ts';
import { jsonBody } from '../../shared/middleware/json-body.ts';
import { fieldValues, id, object } from '../../shared/middleware/schemas.ts';
import type { Organization } from '../../shared/organization/organization.ts';
import { createLead, findLeadByIdentity } from '../../shared/store/leads/create-lead.ts';
import { nextOwner } from '../../shared/store/leads/rotation.ts';

export const body = object({
  fields: fieldValues(),
  stageId: v.optional(id),
  pipelineId: v.optional(id),
});
type Body = v.InferOutput<typeof body>;

/** POST /api/v1/leads (contract, section 4.2). */
export const handler = endpoint(row, {
  body: [jsonBody()],
  input: { body },
  acceptedFields: activeFields,
  prefetch: ({ table, organizationId, input }) => {
    const { phone, email } = input.body.fields;
    return findLeadByIdentity(table, {
      organizationId,
      phone: typeof phone === 'string' ? readPhone(phone).phone : undefined,
      email: typeof email === 'string' ? emailIdentity(email) : undefined,
    });
  },
  respond: async (call) => {
    const { table, organization, leadSequence, input, prefetched: holder } = call;
    const { fields, stage, rotation } = readNewLead(organization, input.body);
    if (holder) throw await duplicateLead(call, holder);

    const id = newLeadId(organization.id, leadSequence); // can throw, so it runs before the rotation advances
    const owner =
      fields.assigned_to ?? (rotation && (await nextOwner(table, organization.id, rotation)));
    if (owner === undefined) throw new Error('A lead without an owner passed the rules.');
    const result = await createLead(table, (now) => ({
      lead: newLead({ id, organizationId: organization.id, fields, stage, owner, now }),
      opening: { type: 'lead_created', at: now, ...byApi(call.caller, call.requestId) },
    }));
    if (result.outcome === 'duplicate') throw await duplicateLead(call, result.holder);

    return { status: 201, leadId: id, body: { lead: presentLead(organization, result.lead) } };
  },
});

/** Reads a new lead by the organization's rules.
 *  @throws ApiError VALIDATION_FAILED with every issue of its fields, its stage and its pipeline. */
function readNewLead(organization: Organization, body: Body): LeadStart {
  const issues = new FieldIssues();
  const read = readFields(organization, body.fields, activeFields(organization), issues);
  const stage = placeLead(organization, body, issues);
  return startLead(organization, { submitted: applyChanges({}, read), stage }, issues);
}
