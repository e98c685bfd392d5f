import { presentNamed } from '../shared/leads/reference-lists.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';

/** GET /api/v1/users (contract, section 4.7): active people by name, names only. */
export const handler = endpoint('list-users', {
  input: {},
  respond: async ({ organization }) => ({
    status: 200,
    body: { items: presentNamed(organization.users) },
  }),
});
