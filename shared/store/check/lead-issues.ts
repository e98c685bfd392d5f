import { isPlainObject } from '../../base/json.ts';
import { comparableEmail } from '../../leads/identity.ts';
import {
  type FieldValue,
  type FieldValues,
  isFieldValue,
  type Lead,
  type LeadFields,
  valueOf,
} from '../../leads/lead.ts';
import { neverEmpty } from '../../organization/built-in-fields.ts';
import { fieldKinds } from '../../organization/field-kinds.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import { indexAttributesOf } from '../leads/leads.ts';
import type { Item, LeadItem } from '../table/items.ts';
import { futureIssues, isStoredDateTime, ttlIssue } from './item-issues.ts';

/** Converts an item whose attributes may have any type to a lead. If `fields` is not a map, it counts as empty. */
export function leadIn(organizationId: number, leadId: number, item: Item): Lead {
  return {
    ...(item as LeadItem),
    id: leadId,
    organizationId,
    fields: (isPlainObject(item.fields) ? item.fields : {}) as LeadFields,
  };
}

export type IdentityKind = 'phone' | 'email';

/** A lead's phone or email in comparable form; undefined if the lead has none, or the value is not a text. */
export function identityOf({ fields }: Lead, kind: IdentityKind): string | undefined {
  const value = valueOf(fields, kind);
  if (typeof value !== 'string' || value === '') return undefined;
  return kind === 'phone' ? value : comparableEmail(value);
}

/**
 * Reports everything that is wrong with a lead by itself or by its organization's settings, as sentences.
 * @param organization undefined if the organization has no settings: references to settings are then not checked
 * @param lastLeadId the last ID that was assigned; undefined if unknown
 */
export function* leadIssues(
  lead: Lead,
  item: Item,
  organization: Organization | undefined,
  lastLeadId: number | undefined,
): Generator<string> {
  const isBeyond = lastLeadId !== undefined && lead.id > lastLeadId;
  const inFields = organization ? [...fieldIssues(lead.fields, organization)] : [];
  const issues = [
    ...attributeIssues(item),
    ...(isBeyond
      ? [`has an id beyond ${lastLeadId}, the last one that the usage item has assigned`]
      : []),
    ...(organization ? placeIssues(lead, organization) : []),
    ...inFields,
    ...indexIssues(lead, item),
  ];
  for (const issue of issues)
    yield `Lead ${lead.id} of organization ${lead.organizationId} ${issue}.`;
}

function* attributeIssues(item: Item): Generator<string> {
  const { version, fields, createdAt, updatedAt, archivedAt, ttl } = item;
  const dateTimes = { createdAt, updatedAt, ...(archivedAt !== undefined && { archivedAt }) };
  if (!Number.isSafeInteger(version) || Number(version) <= 0)
    yield `has version ${display(version)}, which must be a positive integer`;
  if (!isPlainObject(fields)) yield 'has no fields';
  for (const [name, at] of Object.entries(dateTimes))
    if (!isStoredDateTime(at)) yield `has the ${name} ${display(at)}, which is not a date-time`;
  if (isStoredDateTime(createdAt) && isStoredDateTime(updatedAt) && updatedAt < createdAt)
    yield `was updated at ${updatedAt}, before it was created at ${createdAt}`;
  yield* futureIssues(dateTimes);
  if (ttl !== undefined) yield ttlIssue;
}

function* placeIssues(
  { stageId, pipelineId }: Lead,
  { stageById, pipelineById }: Organization,
): Generator<string> {
  const stage = stageById.get(stageId);
  if (!stage) yield `is in stage ${display(stageId)}, which the organization does not have`;
  if (!pipelineById.has(pipelineId))
    yield `is in pipeline ${display(pipelineId)}, which the organization does not have`;
  else if (stage && stage.pipelineId !== pipelineId)
    yield `is in pipeline ${pipelineId}, but its stage ${stageId} belongs to pipeline ${stage.pipelineId}`;
}

function* indexIssues(lead: Lead, item: Item): Generator<string> {
  const right = indexAttributesOf(lead);
  for (const name of ['stageKey', 'ownerKey', 'sourceKey', 'updateKey'] as const) {
    if (item[name] === right[name]) continue;
    const is = item[name] === undefined ? 'is missing' : `is ${display(item[name])}`;
    const absent = lead.archivedAt === undefined ? 'absent' : 'absent, as the lead is archived';
    const expected = right[name] === undefined ? absent : display(right[name]);
    yield `has an index attribute that disagrees with it: ${name} ${is} and must be ${expected}`;
  }
}

function* fieldIssues(fields: FieldValues, organization: Organization): Generator<string> {
  for (const fieldKey of neverEmpty)
    if (valueOf(fields, fieldKey) === null) yield `has no ${fieldKey}`;
  for (const [fieldKey, value] of Object.entries(fields)) {
    const field = organization.fieldByKey.get(fieldKey);
    if (!isFieldValue(value))
      yield `has ${display(value)} in the field ${fieldKey}, which is not a field value`;
    else if (!field)
      yield `has a value in the field ${display(fieldKey)}, which the organization does not have`;
    else if (!isInSettings(field, value, organization))
      yield `has ${display(value)} in the field ${fieldKey}, which the organization does not have`;
  }
}

/**
 * Whether the organization has the source, user or options that a value names. Inactive ones are valid, because leads keep them. Other
 * values are not checked here: the digest on the timeline detects a change without an entry.
 */
function isInSettings(
  { type, options }: Field,
  value: FieldValue,
  organization: Organization,
): boolean {
  if (!Object.hasOwn(fieldKinds, type)) return true; // damaged settings, which are reported separately
  const { references, hasOptions } = fieldKinds[type];
  if (references !== null) return organization[references].some(({ id }) => id === value);
  const named: readonly unknown[] = [value].flat();
  return !hasOptions || named.every((name) => options.some((option) => option.value === name));
}

function display(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= 80 ? text : `${text.slice(0, 77)}…"`;
}
