import { presentNamed } from '../shared/leads/reference-lists.ts';
import { listEndpoint } from '../shared/middleware/endpoint.ts';

/** GET /api/v1/lead-sources (contract, section 4.7): active sources by name. */
export const handler = listEndpoint('list-lead-sources', ({ sources }) => presentNamed(sources));
