import { listLeadStages as row } from '../../shared/contract/endpoints.ts';
import { presentStage } from '../../shared/leads/reference-lists.ts';
import { listEndpoint } from '../../shared/middleware/endpoint.ts';

/** GET /api/v1/lead-stages (contract, section 4.7): active stages of every pipeline, in pipeline order, each pipeline's in order. */
export const handler = listEndpoint(row, ({ stages }) =>
  stages.filter(({ active }) => active).map(presentStage),
);
