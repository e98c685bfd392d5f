import * as v from 'valibot';
import { ApiError } from '../shared/errors.ts';
import { attribution } from '../shared/input/attribution.ts';
import { fieldValues, id, object, text } from '../shared/input/schemas.ts';
import {
  captureMatch,
  captureNew,
  enquiryOf,
  newCapture,
  placeCapture,
  type ReadCapture,
  readCapture,
} from '../shared/leads/capture.ts';
import {
  type CaptureResult,
  idempotencyKeyHeader,
  recordToReplay,
} from '../shared/leads/idempotency.ts';
import { type Lead, newLead, newLeadId } from '../shared/leads/lead.ts';
import { limits } from '../shared/limits.ts';
import { endpoint } from '../shared/middleware/endpoint.ts';
import type { Reply } from '../shared/middleware/respond.ts';
import {
  findForCapture,
  findMatch,
  recordUnderOtherKeys,
  writeCapture,
} from '../shared/store/leads/captures.ts';
import { nextOwner } from '../shared/store/leads/rotation.ts';
import { ContentionError, conflict, retryOnConflict } from '../shared/store/table/retry.ts';

export const headers = v.object({
  'idempotency-key': v.optional(v.pipe(v.string(), v.regex(idempotencyKeyHeader))),
});
export const body = object({
  name: text(1, limits.captureNameMaxChars),
  phone: text(limits.phoneMinChars, limits.phoneMaxChars),
  email: v.optional(text(0, limits.emailMaxChars)),
  source: v.optional(text(1, limits.captureSourceMaxChars)),
  pipelineId: v.optional(id),
  notes: v.optional(text(0, limits.noteMaxChars)),
  fields: v.optional(fieldValues(limits.captureFieldKeyMaxChars)),
  attribution: v.optional(attribution),
  externalId: v.optional(text(1, limits.idempotencyKeyMaxChars)),
});

/** POST /api/v1/leads/capture (contract, section 4.3; design, sections 4 and 6). */
export const handler = endpoint('capture-lead', {
  input: { headers, body },
  prefetch: async ({ table, organizationId, keyId, input: { headers, body } }) => {
    const capture = newCapture({ organizationId, keyId }, headers['idempotency-key'], body);
    return { capture, matches: await findForCapture(table, capture.lookup) };
  },
  respond: async ({ table, organization, caller, leadSequence, input: { body }, prefetched }) => {
    const { capture } = prefetched;
    let owner: number | undefined; // chosen once: a retry must not advance the rotation again

    const startLead = async (read: ReadCapture): Promise<Lead> => {
      const place = placeCapture(organization, read, body.pipelineId);
      const id = newLeadId(organization.id, leadSequence); // it can throw, so it comes before the rotation advances
      owner ??= await nextOwner(table, organization.id, place.rotation);
      const now = new Date().toISOString();
      return newLead({ id, organizationId: organization.id, ...place, owner, now });
    };
    const attemptCapture = async (attempt: number): Promise<Reply | typeof conflict> => {
      const matches =
        attempt === 0 ? prefetched.matches : await findForCapture(table, capture.lookup);
      const record = recordToReplay(capture.keys, matches.records, capture.fingerprint);
      if (record) {
        const isRecorded = await recordUnderOtherKeys(table, capture.lookup, matches, record);
        return isRecorded ? replyOf(record.result, { 'Idempotent-Replayed': 'true' }) : conflict;
      }
      const read = readCapture(organization, body, capture.lookup.phone);
      const enquiry = enquiryOf(caller, body, read.sourceName);
      const match = await findMatch(table, capture.lookup, matches);
      if (match === conflict) return conflict;
      const situation = { emailLeadId: matches.emailLeadId, now: new Date() };
      const captured = match
        ? captureMatch(match, read.submitted, enquiry, situation)
        : captureNew(await startLead(read), enquiry);
      const isWritten = await writeCapture(table, capture, match, captured);
      return isWritten ? replyOf(captured.result) : conflict;
    };

    return retryOnConflict(attemptCapture).catch((error: unknown) => {
      throw error instanceof ContentionError ? new ApiError('IDEMPOTENCY_IN_PROGRESS') : error;
    });
  },
});

/** `Location` is relative, so that it resolves behind any path prefix and domain (RFC 9110, section 10.2.2). */
function replyOf(result: CaptureResult, replayed: Readonly<Record<string, string>> = {}): Reply {
  const location: Record<string, string> = result.archived
    ? {}
    : { Location: `../leads/${result.id}` };
  return {
    status: result.created ? 201 : 200,
    body: { lead: result },
    headers: { ...location, ...replayed },
  };
}
