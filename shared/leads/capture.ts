import type { CaptureRequest } from '../contract/types.ts';
import { alwaysRequired, ownerKey } from '../organization/built-in-fields.ts';
import { activeSourceNamed } from '../organization/named.ts';
import { defaultSourceName, type Field, type Organization } from '../organization/organization.ts';
import { changeTimeOf } from './changes.ts';
import { activeFields, applyChanges, FieldIssues, readFields } from './fields.ts';
import {
  type Idempotency,
  type IdempotencyRecord,
  type Replay,
  recordExpiry,
} from './idempotency.ts';
import { comparableEmail, emailIdentity, readPhone } from './identity.ts';
import { type FieldValue, type FieldValues, type Lead, type LeadFields, valueOf } from './lead.ts';
import { assertLeadFits } from './lead-size.ts';
import { type NewLead, newLead } from './new-lead.ts';
import type { Enquiry, KeptField, TimelineEntry } from './timeline.ts';

/** What a capture request looks up and how its repeats are recognized: computed once, however often a conflict makes it start again. */
export interface Capture extends Idempotency {
  readonly organizationId: number;
  readonly keyId: string;
  /** E.164; undefined when the text sent is not a phone number. */
  readonly phone: string | undefined;
  readonly email: string | undefined;
}

/** Parses the phone, which is the most expensive computation of a capture. */
export const newCapture = (
  apiKey: Pick<Capture, 'organizationId' | 'keyId'>,
  idempotency: Idempotency,
  { phone, email = '' }: Pick<CaptureRequest, 'phone' | 'email'>,
): Capture => ({
  ...apiKey,
  ...idempotency,
  phone: readPhone(phone).phone,
  email: emailIdentity(email),
});

/** A capture request as the organization's rules read it. */
interface ReadCapture {
  /** The sent values that may fill a lead. `source` is included only if the request names a known source. */
  readonly submitted: FieldValues;
  readonly sourceName: string;
  /** The source as sent, if no active source has that name. */
  readonly submittedSource: string | undefined;
  /** For a new lead: `submitted` with the recorded source, or without a source if the organization has no active `Website`. */
  readonly onCreate: FieldValues;
}

/** The fields that a capture cannot send in `fields`, with the sentence that says what to do instead. */
const notAmongFields: Readonly<Record<string, string>> = {
  name: 'is not sent in fields: send it as the property name.',
  phone: 'is not sent in fields: send it as the property phone.',
  email: 'is not sent in fields: send it as the property email.',
  source: 'is not sent in fields: send it as the property source, by name.',
  [ownerKey]: 'cannot be chosen by a capture: the owner comes from the assignment rules.',
};

const isAccepted = (key: string): boolean => !Object.hasOwn(notAmongFields, key);

/** The fields that a capture may send in `fields`. */
export const capturedFields = (organization: Organization): readonly Field[] =>
  activeFields(organization).filter(({ key }) => isAccepted(key));

/**
 * Reads a capture request by the organization's rules. Required fields are not checked, because only new leads need them.
 * @param phone the request's phone in E.164, already parsed to find the lead; undefined if the text is not a phone number
 * @throws ApiError VALIDATION_FAILED with `details.fields`, and `details.validKeys` for an unknown key.
 */
export function readCapture(
  organization: Organization,
  request: CaptureRequest,
  phone: string | undefined,
): ReadCapture {
  const issues = new FieldIssues();
  const { name, email, source, pipelineId, fields = {} } = request;
  const person = {
    name,
    ...(phone === undefined && { phone: request.phone }), // read again, for the reason
    ...(email !== undefined && { email }),
  };
  const read = readFields(organization, person, organization.fields, issues);
  for (const key of alwaysRequired)
    if (read[key] === null) issues.add(key, 'required', 'is required.');
  for (const [key, sentence] of Object.entries(notAmongFields))
    if (Object.hasOwn(fields, key)) issues.add(key, 'not_accepted', sentence);
  const accepted = Object.fromEntries(Object.entries(fields).filter(([key]) => isAccepted(key)));
  const readAccepted = readFields(organization, accepted, capturedFields(organization), issues);
  if (pipelineId !== undefined && !organization.pipelineById.has(pipelineId))
    issues.add('pipelineId', 'pipeline_not_found', "is not one of the organization's pipelines.");
  issues.throwIfAny();

  const named = source === undefined ? undefined : activeSourceNamed(organization, source);
  const recorded = named ?? activeSourceNamed(organization, defaultSourceName);
  const changes = { ...read, ...(named && { source: named.id }), ...readAccepted };
  const submitted = applyChanges({ name, phone: phone ?? '' }, changes); // a phone that cannot be read is an issue
  return {
    submitted,
    onCreate: recorded ? { ...submitted, source: recorded.id } : submitted,
    sourceName: recorded?.name ?? defaultSourceName,
    submittedSource: named ? undefined : source,
  };
}

interface Filling {
  readonly fields: LeadFields;
  /** Field keys, in the order they were sent. */
  readonly filled: readonly string[];
  readonly kept: readonly KeptField[];
}

/**
 * Fills the empty fields of a matched lead and keeps values that differ (contract, section 4.3, rules 3 and 4). An archived lead is not
 * filled: fields that would have been filled are listed as kept.
 * @param emailIsTaken the submitted email belongs to another lead, so it cannot fill this lead's
 */
export function fillLead(lead: Lead, submitted: FieldValues, emailIsTaken: boolean): Filling {
  const fills: Record<string, FieldValue> = {};
  const filled: string[] = [];
  const kept: KeptField[] = [];
  for (const [field, value] of Object.entries(submitted)) {
    const current = valueOf(lead.fields, field);
    if (isSameValue(field, current, value)) continue;
    const mayFill =
      current === null && lead.archivedAt === undefined && !(field === 'email' && emailIsTaken);
    if (mayFill) {
      fills[field] = value;
      filled.push(field);
    } else kept.push({ field, current, submitted: value });
  }
  return { fields: { ...lead.fields, ...fills }, filled, kept };
}

/** What a capture writes, and the record whose result is the response. */
export type CaptureDecision =
  | Replay
  | ({ readonly outcome: 'new' } & CapturedLead)
  /** `match` is the lead as it was read. If no field is filled, `lead` is the same object. */
  | ({ readonly outcome: 'match'; readonly match: Lead } & CapturedLead);

interface CapturedLead {
  readonly lead: Lead;
  readonly entry: TimelineEntry;
  readonly record: IdempotencyRecord;
}

/** The enquiry as the timeline records it, with or without a change of the lead. */
type RecordedEnquiry = Omit<Enquiry, 'filled' | 'kept' | 'archived'> & {
  readonly actorId: number;
  readonly requestId: string;
};

export const enquiryOf = (
  caller: { readonly createdBy: number; readonly keyId: string; readonly label: string },
  requestId: string,
  { notes, attribution }: CaptureRequest,
  { sourceName, submittedSource }: Pick<ReadCapture, 'sourceName' | 'submittedSource'>,
): RecordedEnquiry => ({
  actorId: caller.createdBy,
  keyId: caller.keyId,
  keyLabel: caller.label,
  requestId,
  source: sourceName,
  ...(submittedSource !== undefined && { submittedSource }),
  ...(notes && { notes }),
  ...(attribution && Object.keys(attribution).length > 0 && { attribution: { ...attribution } }),
});

export function captureNew(
  lead: Omit<NewLead, 'now'>,
  enquiry: RecordedEnquiry,
  { fingerprint, now }: { readonly fingerprint: string; readonly now: Date },
): CaptureDecision {
  const at = now.toISOString();
  const result = { id: lead.id, created: true, updated: false };
  return {
    outcome: 'new',
    lead: newLead({ ...lead, now: at }),
    entry: { at, ...enquiry, type: 'captured_new', filled: [], kept: [] },
    record: { fingerprint, result, expiresAt: recordExpiry(now) },
  };
}

/**
 * The decision to fill the lead that the enquiry matched.
 * @param situation the leads that have the submitted phone and email, and the current time
 * @throws ApiError VALIDATION_FAILED when the filled lead would be too large
 */
export function captureMatch(
  match: Lead,
  submitted: FieldValues,
  enquiry: RecordedEnquiry,
  situation: {
    readonly holders: readonly { readonly leadId: number; readonly field: string }[];
    readonly fingerprint: string;
    readonly now: Date;
  },
): CaptureDecision {
  const emailIsTaken = situation.holders.some(
    ({ field, leadId }) => field === 'email' && leadId !== match.id,
  );
  const { fields, filled, kept } = fillLead(match, submitted, emailIsTaken);
  const isFilled = filled.length > 0;
  if (isFilled) assertLeadFits(fields, filled);
  const at = changeTimeOf(match, situation.now);
  const archived = match.archivedAt === undefined ? {} : ({ archived: true } as const);
  const result = { id: match.id, created: false, updated: isFilled, ...archived };
  return {
    outcome: 'match',
    match,
    lead: isFilled ? { ...match, fields, updatedAt: at } : match,
    entry: { at, ...enquiry, type: 'captured', filled, kept, ...archived },
    record: {
      fingerprint: situation.fingerprint,
      result,
      expiresAt: recordExpiry(new Date(at)),
    },
  };
}

/** Whether two values of a field are equal: emails ignoring case, lists in any order. */
function isSameValue(field: string, a: FieldValue | null, b: FieldValue | null): boolean {
  if (field === 'email' && typeof a === 'string' && typeof b === 'string')
    return comparableEmail(a) === comparableEmail(b);
  return JSON.stringify(unordered(a)) === JSON.stringify(unordered(b));
}

const unordered = (value: FieldValue | null): unknown =>
  typeof value === 'object' && value !== null ? [...value].sort() : value;
