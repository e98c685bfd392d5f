import { presentNamed } from '../shared/leads/reference-lists.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';

/** GET /api/v1/lead-sources (contract, section 4.7): active sources by name. */
export const handler = endpoint('list-lead-sources', {
  input: {},
  respond: async ({ organization }) => ({
    status: 200,
    body: { items: presentNamed(organization.sources) },
  }),
});
