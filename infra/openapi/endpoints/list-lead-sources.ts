import { presentNamed } from '../../../shared/leads/reference-lists.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import { demo, someOf } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

export const listLeadSources: EndpointDescription<'list-lead-sources'> = {
  tag: 'Reference lists',
  description: 'Returns the active sources, by name.',
  responses: {
    200: {
      description: 'The active sources, by name.',
      schema: schemaComponents.NamedRefList,
      examples: { 'some sources': someOf(presentNamed(demo.sources)) },
    },
  },
  errors: {},
};
