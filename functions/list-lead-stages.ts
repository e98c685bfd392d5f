import { presentStage } from '../shared/leads/reference-lists.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';

/** GET /api/v1/lead-stages (contract, section 4.7): active stages of every pipeline, in pipeline order, each pipeline's in order. */
export const handler = endpoint('list-lead-stages', {
  input: {},
  respond: async ({ organization }) => ({
    status: 200,
    body: { items: organization.stages.filter(({ active }) => active).map(presentStage) },
  }),
});
