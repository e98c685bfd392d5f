import { presentStage } from '../../../shared/leads/reference-lists.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import { demo, someOf } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

export const listLeadStages: EndpointDescription<'list-lead-stages'> = {
  tag: 'Reference lists',
  description:
    "Returns the active stages of every pipeline, in pipeline order, each pipeline's stages in order.",
  responses: {
    200: {
      description: "The active stages, in pipeline order, each pipeline's stages in order.",
      schema: schemaComponents.StageList,
      examples: { 'some stages': someOf(demo.stages.map(presentStage)) },
    },
  },
  errors: {},
};
