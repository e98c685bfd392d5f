import { presentPipeline } from '../shared/leads/reference-lists.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';

/** GET /api/v1/pipelines (contract, section 4.7): pipelines in pipeline order. */
export const handler = endpoint('list-pipelines', {
  input: {},
  respond: async ({ organization }) => ({
    status: 200,
    body: { items: organization.pipelines.map(presentPipeline) },
  }),
});
