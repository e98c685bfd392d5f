import * as v from 'valibot';
import { captureLead as row } from '../../shared/contract/endpoints.ts';
import { ApiError } from '../../shared/contract/errors.ts';
import { captureLimits, limits } from '../../shared/contract/limits.ts';
import type { Rotation } from '../../shared/leads/assignment.ts';
import {
  type Capture,
  type CaptureDecision,
  capturedFields,
  captureMatch,
  captureNew,
  enquiryOf,
  newCapture,
  readCapture,
} from '../../shared/leads/capture.ts';
import { idempotencyKeyHeader, replayOf } from '../../shared/leads/idempotency.ts';
import { newLeadId, startCapturedLead } from '../../shared/leads/new-lead.ts';
import type { Reply } from '../../shared/middleware/call.ts';
import { endpoint } from '../../shared/middleware/endpoint.ts';
import { idempotency } from '../../shared/middleware/idempotency.ts';
import type { Input } from '../../shared/middleware/input.ts';
import { jsonBody } from '../../shared/middleware/json-body.ts';
import { fieldValues, id, object, text } from '../../shared/middleware/schemas.ts';
import type { ReadyCall } from '../../shared/middleware/stack.ts';
import {
  type CaptureMatches,
  findForCapture,
  findMatch,
  writeCapture,
} from '../../shared/store/leads/captures.ts';
import { nextOwner } from '../../shared/store/leads/rotation.ts';
import { ContentionError, conflict, retryOnConflict } from '../../shared/store/table/retry.ts';

export const headers = v.object({
  'idempotency-key': v.optional(v.pipe(v.string(), v.regex(idempotencyKeyHeader))),
});

const url = v.optional(text(0, captureLimits.attributionUrlMaxChars));
const title = v.optional(text(0, captureLimits.attributionTitleMaxChars));
const name = v.optional(text(0, captureLimits.attributionNameMaxChars));

/** The page and campaign that a capture came from (contract, section 2, CaptureAttribution). */
const attribution = object({
  pageUrl: url,
  pageTitle: title,
  referrer: url,
  utmSource: name,
  utmMedium: name,
  utmCampaign: name,
  utmTerm: name,
  utmContent: name,
  formName: name,
});

export const body = object({
  name: text(1, captureLimits.nameMaxChars),
  phone: text(captureLimits.phoneMinChars, captureLimits.phoneMaxChars),
  email: v.optional(text(0, limits.emailMaxChars)),
  source: v.optional(text(1, captureLimits.sourceMaxChars)),
  pipelineId: v.optional(id),
  notes: v.optional(text(0, limits.noteMaxChars)),
  fields: v.optional(fieldValues(captureLimits.fieldKeyMaxChars)),
  attribution: v.optional(attribution),
  externalId: v.optional(text(1, limits.idempotencyKeyMaxChars)),
});

const input = { headers, body };

type CaptureCall = ReadyCall<
  Input<typeof input>,
  { readonly capture: Capture; readonly matches: CaptureMatches }
>;

/** POST /api/v1/leads/capture (contract, section 4.3; design, sections 4 and 6). */
export const handler = endpoint(row, {
  body: [jsonBody()],
  input,
  acceptedFields: capturedFields,
  steps: [idempotency()],
  prefetch: async ({ table, organizationId, keyId, idempotency, input: { body } }) => {
    const capture = newCapture({ organizationId, keyId }, idempotency, body);
    return { capture, matches: await findForCapture(table, capture) };
  },
  respond: async (call) => {
    const { table, organization, prefetched } = call;
    const { capture } = prefetched;
    let owner: Promise<number> | undefined; // chosen once, because a retry must not advance the rotation again
    const chooseOwner = (rotation: Rotation): Promise<number> => {
      owner ??= nextOwner(table, organization.id, rotation);
      return owner;
    };
    const attemptCapture = async (attempt: number): Promise<Reply | typeof conflict> => {
      const matches = attempt === 0 ? prefetched.matches : await findForCapture(table, capture);
      const decision = await decide(call, matches, chooseOwner);
      if (decision === conflict) return conflict;
      return (await writeCapture(table, capture, decision)) ? replyOf(decision) : conflict;
    };
    return retryOnConflict(attemptCapture).catch((error: unknown) => {
      throw error instanceof ContentionError ? new ApiError('IDEMPOTENCY_IN_PROGRESS') : error;
    });
  },
});

/** Decides what the capture writes, from the rules and the items that were read. @throws ApiError VALIDATION_FAILED, NOT_READY */
async function decide(
  { table, requestId, organization, caller, leadSequence, input, prefetched }: CaptureCall,
  matches: CaptureMatches,
  chooseOwner: (rotation: Rotation) => Promise<number>,
): Promise<CaptureDecision | typeof conflict> {
  const { capture } = prefetched;
  const { body } = input;
  const replay = replayOf(capture, matches.records);
  if (replay) return replay;
  const read = readCapture(organization, body, capture.phone);
  const enquiry = enquiryOf(caller, requestId, body, read);
  const match = await findMatch(table, capture, matches);
  if (match === conflict) return conflict;
  const { fingerprint } = capture;
  if (match) {
    const { holders } = matches;
    const situation = { holders, fingerprint, now: new Date() };
    return captureMatch(match, read.submitted, enquiry, situation);
  }
  const start = startCapturedLead(organization, read.onCreate, body.pipelineId);
  const id = newLeadId(organization.id, leadSequence); // can throw, so it runs before the rotation advances
  const owner = await chooseOwner(start.rotation);
  const lead = { id, organizationId: organization.id, ...start, owner };
  return captureNew(lead, enquiry, { fingerprint, now: new Date() });
}

/** `Location` is relative, so that it resolves behind any path prefix and domain (RFC 9110, section 10.2.2). */
function replyOf({ outcome, record: { result } }: CaptureDecision): Reply {
  return {
    status: result.created ? 201 : 200,
    leadId: result.id,
    body: { lead: result },
    headers: result.archived ? {} : { Location: `../leads/${result.id}` },
    isReplay: outcome === 'replay',
  };
}
