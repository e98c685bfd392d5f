import { listPipelines as row } from '../../shared/contract/endpoints.ts';
import { presentPipeline } from '../../shared/leads/reference-lists.ts';
import { listEndpoint } from '../../shared/middleware/endpoint.ts';

/** GET /api/v1/pipelines (contract, section 4.7): pipelines in pipeline order. */
export const handler = listEndpoint(row, ({ pipelines }) => pipelines.map(presentPipeline));
