import { presentNamed } from '../shared/leads/reference-lists.ts';
import { endpoint, nothingPrefetched } from '../shared/middleware/endpoint.ts';

/** GET /api/v1/users (contract, section 4.7): active people by name, names only. */
export const handler = endpoint('list-users', {}, nothingPrefetched, async ({ organization }) => ({
  status: 200,
  body: { items: presentNamed(organization.users) },
}));
