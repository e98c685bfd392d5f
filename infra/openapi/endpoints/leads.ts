import type { EndpointName } from '../../../shared/contract/endpoints.ts';
import { errorBody } from '../../../shared/contract/errors.ts';
import { limits } from '../../../shared/contract/limits.ts';
import { requireOnEdit } from '../../../shared/leads/fields.ts';
import { presentLead } from '../../../shared/leads/lead.ts';
import { requireFilters } from '../../../shared/leads/lead-query.ts';
import type { OperationDescription } from '../endpoint-description.ts';
import {
  createdLead,
  demo,
  duplicateLead,
  fieldKeys,
  invalidField,
  leadBody,
  noSuchLead,
  refusedBy,
  refusedStage,
  refusedWith,
  updatedLead,
} from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

const note = { text: 'Called back: prefers the evening.' };
const tooShort = `must have 1 to ${limits.noteMaxChars} characters.`;

export const leadDescriptions = {
  'list-leads': {
    tag: 'Leads',
    summary: 'List leads',
    description:
      'Returns leads of the organization, newest first, one page at a time. Archived leads are not included. Unknown parameters are refused.',
    parameters: {
      limit: ['The maximum number of leads in a page.', 25],
      cursor: ['The `nextCursor` of the previous page.', 4211],
      updated_since: [
        'Only leads changed at or after this time, with an offset or `Z`. Write `+` as `%2B`.',
        '2026-11-01T00:00:00Z',
      ],
      stage_id: ['Only leads in this stage.', 11],
      pipeline_id: ['Only leads in this pipeline.', 1],
      source_id: ['Only leads from this source.', 3],
      owner_id: ['Only leads owned by this user.', 1],
    },
    responses: {
      200: {
        description:
          'One page of leads, newest first. A page may have fewer leads than `limit`, even none: only a `nextCursor` of null ends the list.',
        schema: schemaComponents.LeadPage,
        examples: { 'last page': { items: [presentLead(demo, updatedLead)], nextCursor: null } },
      },
    },
    errors: {
      INVALID_QUERY: {
        'a parameter': errorBody('INVALID_QUERY', 'limit must be an integer from 1 to 100.', {
          parameters: { limit: 'must be an integer from 1 to 100.' },
        }),
        'a filter': refusedBy(() =>
          requireFilters(demo, [{ field: 'citty', operator: 'contains', value: 'Pune' }]),
        ),
      },
    },
  },
  'create-lead': {
    tag: 'Leads',
    summary: 'Create a lead',
    description:
      "Creates a lead by the organization's field rules: `name` and `phone` are always required, plus any field the organization requires on create. A retry of the same lead returns 409 with the ID of the existing lead.",
    bodyName: 'CreateLeadRequest',
    requiredFields: ['name', 'phone'],
    body: {
      fields: `Values ${fieldKeys} The value of \`source\` is a source ID, that of \`assigned_to\` a user ID. Without an owner, the organization's assignment rules choose one.`,
      stageId:
        "Default: the starting stage of the lead's pipeline. A stage determines the pipeline.",
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
        schema: schemaComponents.LeadResponse,
        examples: { created: leadBody(createdLead) },
      },
    },
    errors: {
      DUPLICATE_LEAD: { duplicate: duplicateLead },
      VALIDATION_FAILED: { 'a field': invalidField, 'a stage': refusedStage },
    },
  },
  'get-lead': {
    tag: 'Leads',
    summary: 'Get a lead',
    description: 'Returns one lead. An archived lead returns 404.',
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
  },
  'update-lead': {
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
  },
  'add-note': {
    tag: 'Leads',
    summary: 'Add a note to a lead',
    description: "Adds a note to the lead's timeline, shown as added via the API.",
    bodyName: 'NewNote',
    body: { text: 'The note.' },
    requests: { note },
    responses: {
      201: {
        description: 'The added note.',
        schema: schemaComponents.NoteResponse,
        examples: {
          added: {
            note: { leadId: createdLead.id, ...note, createdAt: '2026-11-03T11:41:20.259Z' },
          },
        },
      },
    },
    errors: {
      NOT_FOUND: { 'no lead': noSuchLead },
      VALIDATION_FAILED: {
        'too short': errorBody('VALIDATION_FAILED', `text ${tooShort}`, {
          fields: { text: tooShort },
          reasons: { text: 'required' },
        }),
      },
    },
  },
} satisfies Partial<Record<EndpointName, OperationDescription>>;
