import { errorBody } from '../../../shared/errors.ts';
import { presentLead } from '../../../shared/leads/lead.ts';
import { requireFilters } from '../../../shared/leads/lead-query.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import { demo, refusedBy, updatedLead } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

export const listLeads: EndpointDescription<'list-leads'> = {
  tag: 'Leads',
  description:
    'Returns leads of the organization, newest first, one page at a time. Archived leads are not included. Unknown parameters are refused.',
  parameters: {
    limit: 'The maximum number of leads in a page.',
    cursor: 'The `nextCursor` of the previous page.',
    updated_since:
      'Only leads changed at or after this time, with an offset or `Z`. Write `+` as `%2B`.',
    stage_id: 'Only leads in this stage.',
    pipeline_id: 'Only leads in this pipeline.',
    source_id: 'Only leads from this source.',
    owner_id: 'Only leads owned by this user.',
  },
  responses: {
    200: {
      description:
        'One page of leads, newest first. A page may have fewer leads than `limit`, even none: only a `nextCursor` of null ends the list.',
      schema: schemaComponents.LeadPage,
      examples: { 'last page': { items: [presentLead(demo, updatedLead)], nextCursor: null } },
    },
  },
  errors: {
    INVALID_QUERY: {
      'a parameter': errorBody('INVALID_QUERY', 'limit must be an integer from 1 to 100.', {
        parameters: { limit: 'must be an integer from 1 to 100.' },
      }),
      'a filter': refusedBy(() =>
        requireFilters(demo, [{ field: 'citty', operator: 'contains', value: 'Pune' }]),
      ),
    },
  },
};
