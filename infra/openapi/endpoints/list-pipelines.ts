import { presentPipeline } from '../../../shared/leads/reference-lists.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import { demo, someOf } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

export const listPipelines: EndpointDescription<'list-pipelines'> = {
  tag: 'Reference lists',
  description:
    'Returns the pipelines, in pipeline order. A pipeline is a separate track for leads with its own stages.',
  responses: {
    200: {
      description: 'The pipelines, in pipeline order.',
      schema: schemaComponents.PipelineList,
      examples: { pipelines: someOf(demo.pipelines.map(presentPipeline)) },
    },
  },
  errors: {},
};
