import type { OperationDescription } from '../../infra/openapi/endpoint-description.ts';
import { createdLead, leadBody } from '../../infra/openapi/examples.ts';
import { leadResponse } from '../../infra/openapi/response-schemas.ts';
import { errorBody } from '../../shared/contract/errors.ts';

export const description: OperationDescription = {
  tag: 'Leads',
  summary: 'Get a lead',
  description: 'Returns one lead. An archived lead returns 404.',
  responses: {
    200: {
      description: 'The lead.',
      schema: leadResponse,
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
