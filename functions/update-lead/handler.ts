import * as v from 'valibot';
import { updateLead as row } from '../../shared/contract/endpoints.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { changesBetween } from '../../shared/leads/changes.ts';
import { activeFields } from '../../shared/leads/fields.ts';
import { presentLead } from '../../shared/leads/lead.ts';
import { byApi } from '../../shared/leads/timeline.ts';
import { updatedLead } from '../../shared/leads/update.ts';
import { duplicateLead } from '../../shared/middleware/duplicate-lead.ts';
import { endpoint } from '../../shared/middleware/endpoint.ts';
import { jsonBody } from '../../shared/middleware/json-body.ts';
import { fieldValues, id, leadIdPath, object } from '../../shared/middleware/schemas.ts';
import { readLead } from '../../shared/store/leads/leads.ts';
import { updateLead } from '../../shared/store/leads/update-lead.ts';
import { conflict, retryOnConflict } from '../../shared/store/table/retry.ts';

export const path = leadIdPath;
export const body = object({
  fields: v.optional(fieldValues()),
  stageId: v.optional(id),
  pipelineId: v.optional(id),
});

/** PATCH /api/v1/leads/{leadId} (contract, section 4.5). Concurrent updates of a lead are applied one after the other. */
export const handler = endpoint(row, {
  body: [jsonBody()],
  input: { path, body },
  acceptedFields: activeFields,
  prefetch: ({ table, organizationId, input }) =>
    readLead(table, organizationId, input.path.leadId),
  respond: async ({ table, requestId, organization, caller, input, prefetched }) => {
    const { path, body } = input;
    const lead = await retryOnConflict(async (attempt) => {
      const before =
        attempt === 0 ? prefetched : await readLead(table, organization.id, path.leadId);
      if (!before)
        throw new ApiError('NOT_FOUND', undefined, 'There is no such lead in the organization.');
      const after = updatedLead(organization, before, body, new Date());
      const changes = changesBetween(before, after);
      if (changes.length === 0) return before;

      const result = await updateLead(table, before, after, {
        type: 'lead_updated',
        at: after.updatedAt,
        ...byApi(caller, requestId),
        changes,
      });
      if (result.outcome === 'duplicate')
        throw await duplicateLead({ table, organization }, result.holder);
      return result.outcome === 'changed' ? after : conflict;
    });
    return { status: 200, leadId: lead.id, body: { lead: presentLead(organization, lead) } };
  },
});
