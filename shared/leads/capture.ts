import { isBuiltIn } from '../organization/field-kinds.ts';
import { activeSourceNamed, defaultSourceName, type Organization } from '../organization/organization.ts';
import { FieldIssue, isEmptyValue, notAPhone, type RawValue } from './field-types.ts';
import { activeFields, applyChanges, type FieldChanges, FieldIssues, readFields } from './fields.ts';
import { comparableEmail } from './identity.ts';
import { type FieldValue, type FieldValues, type Lead, valueOf } from './lead.ts';

/** What a capture request says about the person (contract, section 4.3). */
export interface CaptureRequest {
  readonly name: string;
  readonly phone: string;
  readonly email?: string | undefined;
  readonly source?: string | undefined;
  readonly pipelineId?: number | undefined;
  readonly fields?: Readonly<Record<string, RawValue>> | undefined;
}

/** A capture request read by the organization's rules. */
export interface ReadCapture {
  /** Everything that was sent and may fill a lead; `source` only when a known one was named. */
  readonly submitted: FieldValues;
  /** The recorded source's name. */
  readonly sourceName: string;
  /** The recorded source's id, which a new lead gets; absent where the organization has no active `Website`. */
  readonly sourceId: number | undefined;
}

/** Fields that a capture sends as properties, or cannot choose, with what to do instead. */
const notAmongFields: Readonly<Record<string, string>> = {
  name: 'is sent as the property name, beside fields.',
  phone: 'is sent as the property phone, beside fields.',
  email: 'is sent as the property email, beside fields.',
  source: 'is sent as the property source, by name, beside fields.',
  assigned_to: 'cannot be chosen by a capture: the owner comes from the assignment rules.',
};

/**
 * Reads a capture request by the organization's rules, required fields apart: those concern new leads alone.
 * @param phone of the request, in E.164; undefined when the text sent is no phone number. It was parsed to find the lead.
 * @throws ApiError VALIDATION_FAILED with `details.fields`, and `details.validKeys` for an unknown key.
 */
export function readCapture(organization: Organization, request: CaptureRequest, phone: string | undefined): ReadCapture {
  const issues = new FieldIssues();
  const { source, pipelineId, fields = {} } = request;
  const readPerson = readPersonOf(organization, request, phone, issues);
  const others = Object.fromEntries(Object.entries(fields).filter(([key]) => !Object.hasOwn(notAmongFields, key)));
  for (const key of Object.keys(fields)) {
    if (!Object.hasOwn(others, key)) issues.add(key, new FieldIssue(notAmongFields[key] ?? ''));
  }
  const accepted = activeFields(organization).filter(({ key }) => !Object.hasOwn(notAmongFields, key));
  const readOthers = readFields(organization, others, accepted, issues);
  if (pipelineId !== undefined && !organization.pipelineById.has(pipelineId)) {
    issues.add('pipelineId', new FieldIssue("is not one of the organization's pipelines.", 'PIPELINE_NOT_FOUND'));
  }
  issues.throwIfAny();

  const named = source === undefined ? undefined : activeSourceNamed(organization, source);
  const recorded = named ?? activeSourceNamed(organization, defaultSourceName);
  return {
    submitted: applyChanges(applyChanges({}, readPerson), { ...(named && { source: named.id }), ...readOthers }),
    sourceName: recorded?.name ?? defaultSourceName,
    sourceId: recorded?.id,
  };
}

function readPersonOf(
  organization: Organization,
  { name, phone: phoneText, email }: CaptureRequest,
  phone: string | undefined,
  issues: FieldIssues,
): FieldChanges {
  const builtIn = organization.fields.filter(({ key }) => isBuiltIn(key));
  const read = (values: Readonly<Record<string, RawValue>>) => readFields(organization, values, builtIn, issues);
  const readName = read({ name });
  if (readName.name === null) issues.add('name', new FieldIssue('is required.'));
  if (phone === undefined) {
    issues.add('phone', isEmptyValue(phoneText, 'phone') ? new FieldIssue('is required.') : notAPhone);
  }
  return { ...readName, ...(phone !== undefined && { phone }), ...(email !== undefined && read({ email })) };
}

/** A field that a capture left as it was, with what it had and what was sent. */
export interface KeptField {
  readonly field: string;
  readonly current: FieldValue | null;
  readonly submitted: FieldValue;
}

export interface Filling {
  readonly fields: FieldValues;
  /** Field keys, in the order they were sent. */
  readonly filled: readonly string[];
  readonly kept: readonly KeptField[];
}

/**
 * What a capture does to the lead it matched (contract, section 4.3, rules 3 and 4): empty fields are filled, differing values are kept;
 * of an archived lead nothing is filled, and all that it lacks is listed.
 * @param emailIsTaken the submitted e-mail belongs to another lead, so it cannot fill this one's
 */
export function fillLead(lead: Lead, submitted: FieldValues, emailIsTaken: boolean): Filling {
  const fields: Record<string, FieldValue> = { ...lead.fields };
  const filled: string[] = [];
  const kept: KeptField[] = [];
  for (const [field, value] of Object.entries(submitted)) {
    const current = valueOf(lead.fields, field);
    if (isSameValue(field, current, value)) continue;
    const mayFill = current === null && lead.archivedAt === undefined && !(field === 'email' && emailIsTaken);
    if (mayFill) {
      fields[field] = value;
      filled.push(field);
    } else kept.push({ field, current, submitted: value });
  }
  return { fields, filled, kept };
}

/** Whether two values of a field say the same; e-mails without regard to case, lists whatever order the settings had. */
export function isSameValue(field: string, a: FieldValue | null, b: FieldValue | null): boolean {
  if (field === 'email' && typeof a === 'string' && typeof b === 'string') return comparableEmail(a) === comparableEmail(b);
  return JSON.stringify(unordered(a)) === JSON.stringify(unordered(b));
}

const unordered = (value: FieldValue | null): unknown =>
  typeof value === 'object' && value !== null ? [...value].sort() : value;
