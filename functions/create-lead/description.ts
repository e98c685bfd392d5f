import type { OperationDescription } from '../../infra/openapi/endpoint-description.ts';
import {
  createdLead,
  duplicateLead,
  fieldKeys,
  invalidField,
  leadBody,
  refusedStage,
} from '../../infra/openapi/examples.ts';
import { leadResponse } from '../../infra/openapi/response-schemas.ts';

export const description: OperationDescription = {
  tag: 'Leads',
  summary: 'Create a lead',
  description:
    "Creates a lead by the organization's field rules: `name` and `phone` are always required, plus any field the organization requires on create. A retry of the same lead returns 409 with the ID of the existing lead.",
  bodyName: 'CreateLeadRequest',
  requiredFields: ['name', 'phone'],
  body: {
    fields: `Values ${fieldKeys} The value of \`source\` is a source ID, that of \`assigned_to\` a user ID. Without an owner, the organization's assignment rules choose one.`,
    stageId: "Default: the starting stage of the lead's pipeline. A stage determines the pipeline.",
    pipelineId:
      "Default: the organization's default pipeline. With `stageId`, the stage must belong to this pipeline.",
  },
  requests: {
    'a student': {
      fields: {
        name: 'Ananya Kulkarni',
        phone: '+91 98220 12345',
        email: 'ananya@example.com',
        source: 3,
        course: 'mba',
        work_experience: 4,
        countries: ['ca', 'de'],
      },
    },
    'in a stage': {
      fields: { name: 'Rohan Joshi', phone: '+91 98220 54321' },
      stageId: 21,
      pipelineId: 2,
    },
  },
  responses: {
    201: {
      description: 'The created lead.',
      schema: leadResponse,
      examples: { created: leadBody(createdLead) },
    },
  },
  errors: {
    DUPLICATE_LEAD: { duplicate: duplicateLead },
    VALIDATION_FAILED: { 'a field': invalidField, 'a stage': refusedStage },
  },
};
