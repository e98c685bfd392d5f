import { activeFields } from '../../../shared/leads/fields.ts';
import { presentField } from '../../../shared/leads/reference-lists.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import { demo, someOf } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

/** One field of each kind: built in, with options, with a condition. */
const examples = activeFields(demo)
  .filter(({ key }) => ['phone', 'course', 'work_experience'].includes(key))
  .map(presentField);

export const listLeadFields: EndpointDescription<'list-lead-fields'> = {
  tag: 'Reference lists',
  description:
    "Returns the organization's active fields, custom fields included, in form order. A new custom field appears, and is accepted, immediately.",
  responses: {
    200: {
      description: 'The active fields, in form order.',
      schema: schemaComponents.LeadFieldList,
      examples: { 'some fields': someOf(examples) },
    },
  },
  errors: {},
};
