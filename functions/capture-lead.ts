import * as v from 'valibot';
import { ApiError } from '../shared/errors.ts';
import { fieldValues, id, object, text } from '../shared/input/schemas.ts';
import { chooseRotation } from '../shared/leads/assignment.ts';
import { type CaptureResult, fillLead, type ReadCapture, readCapture } from '../shared/leads/capture.ts';
import { changeTimeOf } from '../shared/leads/change-time.ts';
import { FieldIssues, newLeadFields, requireOnCreate } from '../shared/leads/fields.ts';
import {
  fingerprintOf,
  idempotencyKeyHeader,
  idempotencyKeys,
  recordExpiry,
  recordToReplay,
} from '../shared/leads/idempotency.ts';
import { emailIdentity, parsePhone } from '../shared/leads/identity.ts';
import { type Lead, newLead, newLeadId } from '../shared/leads/lead.ts';
import { assertLeadFits } from '../shared/leads/lead-size.ts';
import { defaultPipelineId, startingStage } from '../shared/leads/placement.ts';
import type { TimelineEntry } from '../shared/leads/timeline.ts';
import { limits } from '../shared/limits.ts';
import { endpoint, type PrefetchContext, type ReadyCall } from '../shared/middleware/endpoint.ts';
import type { Reply } from '../shared/middleware/respond.ts';
import {
  type CaptureLookup,
  type CaptureMatches,
  type CaptureRecord,
  captureMatchedLead,
  captureNewLead,
  findForCapture,
  findMatch,
  recordUnder,
} from '../shared/store/leads/captures.ts';
import { nextOwner } from '../shared/store/leads/rotation.ts';
import { ContentionError, conflict, retryOnConflict } from '../shared/store/table/retry.ts';

const attributionText = (max: number) => v.optional(text(0, max));
const attribution = object({
  pageUrl: attributionText(limits.attributionUrlMaxChars),
  pageTitle: attributionText(limits.attributionTitleMaxChars),
  referrer: attributionText(limits.attributionUrlMaxChars),
  utmSource: attributionText(limits.attributionNameMaxChars),
  utmMedium: attributionText(limits.attributionNameMaxChars),
  utmCampaign: attributionText(limits.attributionNameMaxChars),
  utmTerm: attributionText(limits.attributionNameMaxChars),
  utmContent: attributionText(limits.attributionNameMaxChars),
  formName: attributionText(limits.attributionNameMaxChars),
});

export const headers = v.object({ 'idempotency-key': v.optional(v.pipe(v.string(), v.regex(idempotencyKeyHeader))) });
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
const schemas = { headers, body };
/** What was looked up beside admission, and for whom. */
interface LookUp {
  readonly lookup: CaptureLookup;
  readonly findings: CaptureMatches;
}
type Call = ReadyCall<typeof schemas, LookUp>;

/** POST /api/v1/leads/capture (contract, section 4.3; design, sections 4 and 6). */
export const handler = endpoint(
  'capture-lead',
  schemas,
  async ({ table, organizationId, keyId, input }): Promise<LookUp> => {
    const lookup = lookupOf(organizationId, keyId, input);
    return { lookup, findings: await findForCapture(table, lookup) };
  },
  async (call) => {
    const { table, organization } = call;
    const { lookup } = call.prefetched;
    const { externalId, ...enquiry } = call.body;
    const keys = idempotencyKeys(call.headers['idempotency-key'], externalId);
    const fingerprint = fingerprintOf(enquiry);
    let owner: number | undefined; // chosen once, however often this request looks again: a turn is not taken twice

    const capture = async (attempt: number): Promise<Reply | typeof conflict> => {
      const matches = attempt === 0 ? call.prefetched.findings : await findForCapture(table, lookup);
      const record = recordToReplay(keys, matches.records, fingerprint);
      if (record) {
        const unknownKeys = keys.filter((_, index) => !matches.records[index]).map(({ value }) => value);
        const isRemembered = await recordUnder(table, lookup, unknownKeys, record);
        return isRemembered ? replyOf(record.result, { 'Idempotent-Replayed': 'true' }) : conflict;
      }
      const read = readCapture(organization, call.body, lookup.phone);
      const match = await findMatch(table, lookup, matches);
      if (match === conflict) return conflict;
      if (match) return captureMatch(call, lookup, fingerprint, read, match, matches);
      const place = placeNewLead(call, read);
      owner ??= await nextOwner(table, organization.id, place.rotation);
      return captureNew(call, lookup, fingerprint, read, { ...place, owner });
    };

    return retryOnConflict(capture).catch((error: unknown) => {
      throw error instanceof ContentionError ? new ApiError('IDEMPOTENCY_IN_PROGRESS') : error;
    });
  },
);

/** Made once a request: reading a phone takes longer than anything else that a capture computes. */
function lookupOf(organizationId: number, keyId: string, input: PrefetchContext<typeof schemas>['input']): CaptureLookup {
  const { phone, email, externalId } = input.body;
  return {
    organizationId,
    keyId,
    idempotencyKeys: idempotencyKeys(input.headers['idempotency-key'], externalId).map(({ value }) => value),
    phone: parsePhone(phone),
    email: emailIdentity(email ?? ''),
  };
}

/** Where a new lead goes, whose it may be, and its id.
 *  @throws ApiError VALIDATION_FAILED for a required field that is missing, NOT_READY without a stage or an active person.
 *  @throws LeadIdsExhaustedError */
function placeNewLead({ organization, leadSequence, body: { pipelineId } }: Call, { submitted, sourceId }: ReadCapture) {
  const given = sourceId === undefined ? submitted : { ...submitted, source: sourceId };
  const issues = new FieldIssues();
  requireOnCreate(organization, given, issues);
  issues.throwIfAny();
  const fields = newLeadFields(given);
  assertLeadFits(fields);
  const stage = startingStage(organization, pipelineId ?? defaultPipelineId(organization));
  if (!stage) {
    const place = pipelineId === undefined ? 'The organization' : `Pipeline ${pipelineId}`;
    throw new ApiError('NOT_READY', undefined, `${place} has no stage for new leads.`);
  }
  const rotation = chooseRotation(organization, fields, stage.pipelineId);
  if (!rotation) throw new ApiError('NOT_READY', undefined, 'The organization has no active user to own new leads.');
  return { id: newLeadId(organization.id, leadSequence), fields, stage, rotation };
}

async function captureNew(
  call: Call,
  lookup: CaptureLookup,
  fingerprint: string,
  read: ReadCapture,
  { id, fields, stage, owner }: Omit<ReturnType<typeof placeNewLead>, 'rotation'> & { owner: number },
): Promise<Reply | typeof conflict> {
  const now = new Date();
  const lead = newLead({ id, organizationId: call.organization.id, fields, stage, owner, now: now.toISOString() });
  const result: CaptureResult = { id: lead.id, created: true, updated: false };
  const entry = { ...entryOf(call, read, now), type: 'captured_new', filled: [], kept: [] } as const;
  const isWritten = await captureNewLead(call.table, lead, recordOf(lookup, fingerprint, entry, result, now));
  return isWritten ? replyOf(result) : conflict;
}

async function captureMatch(
  call: Call,
  lookup: CaptureLookup,
  fingerprint: string,
  read: ReadCapture,
  match: Lead,
  { emailLeadId }: CaptureMatches,
): Promise<Reply | typeof conflict> {
  const emailIsTaken = emailLeadId !== undefined && emailLeadId !== match.id;
  const { fields, filled, kept } = fillLead(match, read.submitted, emailIsTaken);
  const now = changeTimeOf(match, new Date());
  const isFilled = filled.length > 0;
  if (isFilled) assertLeadFits(fields, filled);
  const archived = match.archivedAt === undefined ? {} : ({ archived: true } as const);
  const result: CaptureResult = { id: match.id, created: false, updated: isFilled, ...archived };
  const entry = { ...entryOf(call, read, now), type: 'captured', filled, kept, ...archived } as const;
  const after = isFilled ? { ...match, fields, updatedAt: now.toISOString() } : match;
  const isWritten = await captureMatchedLead(call.table, match, after, recordOf(lookup, fingerprint, entry, result, now));
  return isWritten ? replyOf(result) : conflict;
}

function entryOf({ caller, body: { notes, attribution: page } }: Call, { sourceName }: ReadCapture, now: Date) {
  return {
    at: now.toISOString(),
    actorId: caller.createdBy,
    keyId: caller.keyId,
    keyLabel: caller.label,
    source: sourceName,
    ...(notes && { notes }),
    ...(page && Object.keys(page).length > 0 && { attribution: page as Record<string, string> }),
  };
}

function recordOf(
  lookup: CaptureLookup,
  fingerprint: string,
  entry: TimelineEntry,
  result: CaptureResult,
  now: Date,
): CaptureRecord {
  return { lookup, entry, record: { fingerprint, result, expiresAt: recordExpiry(now) }, now };
}

/** The contract's answer; `Location` is relative, so that it resolves behind any path prefix and domain (RFC 9110, section 10.2.2). */
function replyOf(result: CaptureResult, replayed: Readonly<Record<string, string>> = {}): Reply {
  const location: Record<string, string> = result.archived ? {} : { Location: `../leads/${result.id}` };
  return { status: result.created ? 201 : 200, body: { lead: result }, headers: { ...location, ...replayed } };
}
