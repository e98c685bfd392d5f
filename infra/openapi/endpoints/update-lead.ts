import { requireOnEdit } from '../../../shared/leads/fields.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import {
  createdLead,
  demo,
  duplicateLead,
  fieldKeys,
  leadBody,
  leadIdSentence,
  noSuchLead,
  refusedStage,
  refusedWith,
  updatedLead,
} from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

export const updateLead: EndpointDescription<'update-lead'> = {
  tag: 'Leads',
  description:
    "Changes only what the request sends, by the organization's field rules, all or nothing. Every change is recorded on the lead's timeline as made via the API.",
  parameters: { leadId: leadIdSentence },
  bodyName: 'UpdateLeadRequest',
  body: {
    fields: `Only the fields to change, ${fieldKeys} null clears a field.`,
    stageId: 'A stage of another pipeline moves the lead into that pipeline.',
    pipelineId:
      'Moves the lead to this pipeline, at `stageId` (one of its stages) or at its starting stage.',
  },
  requests: {
    'move and set': { stageId: 12, fields: { intake: '2027-08-01' } },
    clear: { fields: { email: null } },
  },
  responses: {
    200: {
      description: 'The lead after the change.',
      schema: schemaComponents.LeadResponse,
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
