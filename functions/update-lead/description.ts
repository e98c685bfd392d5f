import type { OperationDescription } from '../../infra/openapi/endpoint-description.ts';
import {
  createdLead,
  demo,
  duplicateLead,
  fieldKeys,
  leadBody,
  noSuchLead,
  refusedStage,
  refusedWith,
  updatedLead,
} from '../../infra/openapi/examples.ts';
import { leadResponse } from '../../infra/openapi/response-schemas.ts';
import { requireOnEdit } from '../../shared/leads/fields.ts';

export const description: OperationDescription = {
  tag: 'Leads',
  summary: 'Update a lead',
  description:
    "Changes only what the request sends, by the organization's field rules, all or nothing. Every change is recorded on the lead's timeline as made via the API.",
  bodyName: 'UpdateLeadRequest',
  body: {
    fields: `Only the fields to change, ${fieldKeys} null clears a field.`,
    stageId: 'A stage of another pipeline moves the lead into that pipeline.',
    pipelineId:
      'Moves the lead to this pipeline, at `stageId` (one of its stages) or at its starting stage.',
  },
  requests: {
    'move and set': { fields: { intake: '2027-08-01' }, stageId: 12, pipelineId: 1 },
    clear: { fields: { email: null } },
  },
  responses: {
    200: {
      description: 'The lead after the change.',
      schema: leadResponse,
      examples: { changed: leadBody(updatedLead) },
    },
  },
  errors: {
    NOT_FOUND: { 'no lead': noSuchLead },
    DUPLICATE_LEAD: { duplicate: duplicateLead },
    VALIDATION_FAILED: {
      'an emptied field': refusedWith((issues) =>
        requireOnEdit(demo, createdLead.fields, { name: null }, issues),
      ),
      'a stage': refusedStage,
    },
  },
};
