import * as v from 'valibot';
import type { OperationDescription } from '../../infra/openapi/endpoint-description.ts';
import { described } from '../../infra/openapi/error-schemas.ts';
import { demo, refusedBy, updatedLead } from '../../infra/openapi/examples.ts';
import { lead, schemaOf } from '../../infra/openapi/response-schemas.ts';
import { errorBody } from '../../shared/contract/errors.ts';
import { limits } from '../../shared/contract/limits.ts';
import type { LeadPage } from '../../shared/contract/types.ts';
import { presentLead } from '../../shared/leads/lead.ts';
import { requireFilters } from '../../shared/leads/lead-query.ts';
import { id } from '../../shared/middleware/schemas.ts';

const leadPage = schemaOf<LeadPage>()(
  v.strictObject({
    items: v.pipe(v.array(lead), v.maxLength(limits.pageSizeMax)),
    nextCursor: described(
      v.nullable(id),
      'Send it as `cursor` to get the next page. It is null on the last page.',
    ),
  }),
);

export const description: OperationDescription = {
  tag: 'Leads',
  summary: 'List leads',
  description:
    'Returns leads of the organization, newest first, one page at a time. Archived leads are not included. Unknown parameters are refused.',
  parameters: {
    limit: ['The maximum number of leads in a page.', 25],
    cursor: ['The `nextCursor` of the previous page.', 4211],
    updated_since: [
      'Only leads changed at or after this time, with an offset or `Z`. Write `+` as `%2B`.',
      '2026-11-01T00:00:00Z',
    ],
    stage_id: ['Only leads in this stage.', 11],
    pipeline_id: ['Only leads in this pipeline.', 1],
    source_id: ['Only leads from this source.', 3],
    owner_id: ['Only leads owned by this user.', 1],
  },
  responses: {
    200: {
      description:
        'One page of leads, newest first. A page may have fewer leads than `limit`, even none: only a `nextCursor` of null ends the list.',
      schema: leadPage,
      examples: { 'last page': { items: [presentLead(demo, updatedLead)], nextCursor: null } },
    },
  },
  schemas: { LeadPage: leadPage },
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
