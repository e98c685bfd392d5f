import { presentNamed } from '../../../shared/leads/reference-lists.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import { demo, someOf } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

export const listUsers: EndpointDescription<'list-users'> = {
  tag: 'Reference lists',
  description: 'Returns the active users, by name. Only names, no contact details.',
  responses: {
    200: {
      description: 'The active users, by name.',
      schema: schemaComponents.NamedRefList,
      examples: { 'some users': someOf(presentNamed(demo.users)) },
    },
  },
  errors: {},
};
