import { activeFields } from '../shared/leads/fields.ts';
import { presentField } from '../shared/leads/reference-lists.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';

/** GET /api/v1/lead-fields (contract, section 4.7): active fields in form order. */
export const handler = endpoint('list-lead-fields', {
  input: {},
  respond: async ({ organization }) => ({
    status: 200,
    body: { items: activeFields(organization).map(presentField) },
  }),
});
