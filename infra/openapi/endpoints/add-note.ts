import { errorBody } from '../../../shared/errors.ts';
import { limits } from '../../../shared/limits.ts';
import type { EndpointDescription } from '../endpoint-description.ts';
import { createdLead, leadIdSentence, noSuchLead } from '../examples.ts';
import { schemaComponents } from '../response-schemas.ts';

const note = { text: 'Called back: prefers the evening.' };
const tooShort = `must have 1 to ${limits.noteMaxChars} characters.`;

export const addNote: EndpointDescription<'add-note'> = {
  tag: 'Leads',
  description: "Adds a note to the lead's timeline, shown as added via the API.",
  parameters: { leadId: leadIdSentence },
  bodyName: 'NewNote',
  body: { text: 'The note.' },
  requests: { note },
  responses: {
    201: {
      description: 'The added note.',
      schema: schemaComponents.NoteResponse,
      examples: {
        added: { note: { leadId: createdLead.id, ...note, createdAt: '2026-11-03T11:41:20.259Z' } },
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
};
