import { addNote as row } from '../../shared/contract/endpoints.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { limits } from '../../shared/contract/limits.ts';
import { byApi } from '../../shared/leads/timeline.ts';
import { endpoint } from '../../shared/middleware/endpoint.ts';
import { jsonBody } from '../../shared/middleware/json-body.ts';
import { leadIdPath, object, text } from '../../shared/middleware/schemas.ts';
import { addToTimeline } from '../../shared/store/leads/timeline.ts';

export const path = leadIdPath;
export const body = object({ text: text(1, limits.noteMaxChars) });

/** POST /api/v1/leads/{leadId}/notes (contract, section 4.6). */
export const handler = endpoint(row, {
  body: [jsonBody()],
  input: { path, body },
  respond: async ({ table, requestId, organization, caller, input }) => {
    const { leadId } = input.path;
    const { text } = input.body;
    const createdAt = await addToTimeline(table, organization.id, leadId, (at) => ({
      type: 'note_added',
      at,
      ...byApi(caller, requestId),
      text,
    }));
    if (createdAt === undefined) {
      throw new ApiError('NOT_FOUND', undefined, 'There is no such lead in the organization.');
    }
    return { status: 201, leadId, body: { note: { leadId, text, createdAt } } };
  },
});
