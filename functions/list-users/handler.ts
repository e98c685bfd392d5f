import { listUsers as row } from '../../shared/contract/endpoints.ts';
import { presentNamed } from '../../shared/leads/reference-lists.ts';
import { listEndpoint } from '../../shared/middleware/endpoint.ts';

/** GET /api/v1/users (contract, section 4.7): active people by name, names only. */
export const handler = listEndpoint(row, ({ users }) => presentNamed(users));
