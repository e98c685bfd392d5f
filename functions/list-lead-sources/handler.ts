import { listLeadSources as row } from '../../shared/contract/endpoints.ts';
import { presentNamed } from '../../shared/leads/reference-lists.ts';
import { listEndpoint } from '../../shared/middleware/endpoint.ts';

/** GET /api/v1/lead-sources (contract, section 4.7): active sources by name. */
export const handler = listEndpoint(row, ({ sources }) => presentNamed(sources));
