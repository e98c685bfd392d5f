import * as v from 'valibot';
import type { OperationDescription } from '../../infra/openapi/endpoint-description.ts';
import { createdLead, noSuchLead } from '../../infra/openapi/examples.ts';
import { dateTime, schemaOf } from '../../infra/openapi/response-schemas.ts';
import { errorBody } from '../../shared/contract/errors.ts';
import { limits } from '../../shared/contract/limits.ts';
import type { Note } from '../../shared/contract/types.ts';
import { id } from '../../shared/middleware/schemas.ts';

const note = schemaOf<Note>()(
  v.strictObject({ leadId: id, text: v.string(), createdAt: dateTime }),
);
const noteResponse = v.strictObject({ note });
const example = { text: 'Called back: prefers the evening.' };
const tooShort = `must have 1 to ${limits.noteMaxChars} characters.`;

export const description: OperationDescription = {
  tag: 'Leads',
  summary: 'Add a note to a lead',
  description: "Adds a note to the lead's timeline, shown as added via the API.",
  bodyName: 'NewNote',
  body: { text: 'The note.' },
  requests: { note: example },
  responses: {
    201: {
      description: 'The added note.',
      schema: noteResponse,
      examples: {
        added: {
          note: { leadId: createdLead.id, ...example, createdAt: '2026-11-03T11:41:20.259Z' },
        },
      },
    },
  },
  schemas: { Note: note, NoteResponse: noteResponse },
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
