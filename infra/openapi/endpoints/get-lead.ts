import { errorBody } from '../../../shared/errors.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import { createdLead, leadBody, leadIdSentence } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

export const getLead: EndpointDescription<'get-lead'> = {
  tag: 'Leads',
  description: 'Returns one lead. An archived lead returns 404.',
  parameters: { leadId: leadIdSentence },
  responses: {
    200: {
      description: 'The lead.',
      schema: schemaComponents.LeadResponse,
      examples: { 'a lead': leadBody(createdLead) },
    },
  },
  errors: {
    NOT_FOUND: {
      'no lead': errorBody(
        'NOT_FOUND',
        'There is no such lead in the organization, or it is archived.',
      ),
    },
  },
};
