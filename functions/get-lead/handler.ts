import { getLead as row } from '../../shared/contract/endpoints.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { presentLead } from '../../shared/leads/lead.ts';
import { endpoint } from '../../shared/middleware/endpoint.ts';
import { leadIdPath } from '../../shared/middleware/schemas.ts';
import { readLead } from '../../shared/store/leads/leads.ts';

export const path = leadIdPath;

/** GET /api/v1/leads/{leadId} (contract, section 4.4). */
export const handler = endpoint(row, {
  input: { path },
  prefetch: ({ table, organizationId, input }) =>
    readLead(table, organizationId, input.path.leadId),
  respond: async ({ organization, prefetched: lead }) => {
    if (!lead || lead.archivedAt !== undefined) {
      throw new ApiError(
        'NOT_FOUND',
        undefined,
        'There is no such lead in the organization, or it is archived.',
      );
    }
    return { status: 200, leadId: lead.id, body: { lead: presentLead(organization, lead) } };
  },
});
