import { isPlainObject } from '../../json.ts';
import { FieldIssue, isEmptyValue, parsers } from '../../leads/field-types.ts';
import { comparableEmail } from '../../leads/identity.ts';
import {
  type FieldValue,
  type FieldValues,
  type Lead,
  type LeadFields,
  valueOf,
} from '../../leads/lead.ts';
import type { FieldType } from '../../organization/field-kinds.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import { indexAttributesOf, largeKbOf } from '../leads/leads.ts';
import type { Item, LeadItem } from '../table/items.ts';
import { futureIssues, isPositiveInteger, isStoredDateTime, ttlIssue } from './item-issues.ts';

/** The lead of an item whose attributes may have any type; `fields` that are not a map count as empty. */
export function leadIn(organizationId: number, leadId: number, item: Item): Lead {
  return {
    ...(item as LeadItem),
    id: leadId,
    organizationId,
    fields: (isPlainObject(item.fields) ? item.fields : {}) as LeadFields,
  };
}

export type IdentityKind = 'phone' | 'email';

/** A lead's phone or email as it is compared; undefined if it has none, or the value is not a text. */
export function identityOf({ fields }: Lead, kind: IdentityKind): string | undefined {
  const value = valueOf(fields, kind);
  if (typeof value !== 'string' || value === '') return undefined;
  return kind === 'phone' ? value : comparableEmail(value);
}

/**
 * Everything that is wrong with a lead in itself and according to its organization's settings, as sentences.
 * @param organization undefined if it has no settings: then references to them are not checked
 * @param lastLeadId the last id that was assigned; undefined if unknown
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
    ...(inFields.length === 0 ? sizeIssues(lead, item) : []),
  ];
  for (const issue of issues)
    yield `Lead ${lead.id} of organization ${lead.organizationId} ${issue}.`;
}

function* attributeIssues(item: Item): Generator<string> {
  const { version, fields, createdAt, updatedAt, archivedAt, ttl } = item;
  const dateTimes = { createdAt, updatedAt, ...(archivedAt !== undefined && { archivedAt }) };
  if (!isPositiveInteger(version))
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

/** Index attributes that disagree with the lead. */
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

/** Pages of lists plan their reads by it. @param lead with valid fields */
function* sizeIssues({ fields }: Lead, { largeKb }: Item): Generator<string> {
  const right = largeKbOf(fields);
  if (largeKb !== right)
    yield `has the size largeKb ${display(largeKb)}, which must be ${right ?? 'absent'}`;
}

const alwaysThere = ['name', 'phone', 'lead_type'];

function* fieldIssues(fields: FieldValues, organization: Organization): Generator<string> {
  for (const fieldKey of alwaysThere)
    if (valueOf(fields, fieldKey) === null) yield `has no ${fieldKey}`;
  for (const [fieldKey, value] of Object.entries(fields)) {
    const field = organization.fieldByKey.get(fieldKey);
    const issue = field && value !== null && valueIssue(field, value, organization);
    if (!field)
      yield `has a value in the field ${display(fieldKey)}, which the organization does not have`;
    else if (issue) yield `has ${display(value)} in the field ${fieldKey}, which ${issue}`;
  }
}

/** Why a stored value is not valid in its field. Inactive options, sources and users are valid, because leads keep them. */
function valueIssue(
  field: Field,
  value: FieldValue,
  organization: Organization,
): string | undefined {
  // Damaged settings may have any type.
  if (!Object.hasOwn(valueRules, field.type))
    return `has the type ${display(field.type)}, which this version does not know`;
  const [requirement, isValid] = valueRules[field.type];
  return isValid(value, field, organization) ? undefined : `must be ${requirement}`;
}

type ValueRule = readonly [
  /** What the value must be. */
  requirement: string,
  isValid: (value: FieldValue, field: Field, organization: Organization) => boolean,
];

const textRule: ValueRule = ['a text that is not empty', isText];

/** One rule per field type: the compiler names a type that has none. */
const valueRules: Readonly<Record<FieldType, ValueRule>> = {
  text: textRule,
  textarea: textRule,
  number: ['a number', Number.isFinite],
  date: ['a date, as YYYY-MM-DD', isParsedAsItself],
  phone: [
    'a phone number in E.164 form',
    (value) => typeof value === 'string' && /^\+[1-9]\d{3,17}$/.test(value),
  ],
  email: ['an email address', isParsedAsItself],
  url: ['a web address', isParsedAsItself],
  select: [
    'one of its options',
    (value, field) => typeof value === 'string' && optionsOf(field).includes(value),
  ],
  multiselect: ['a list of its options', (value, field) => isListOf(value, optionsOf(field))],
  checkbox: ['true or false', (value) => typeof value === 'boolean'],
  lead_source: [
    'the id of a source',
    (value, _, { sourceById }) => typeof value === 'number' && sourceById.has(value),
  ],
  user: [
    'the id of a user',
    (value, _, { userById }) => typeof value === 'number' && userById.has(value),
  ],
};

const optionsOf = (field: Field): string[] => field.options.map((option) => option.value);

function isText(value: FieldValue): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isParsedAsItself(value: FieldValue, field: Field, organization: Organization): boolean {
  if (isEmptyValue(value, field.type)) return false;
  const parsed = parsers[field.type](value, field, organization);
  return !(parsed instanceof FieldIssue) && parsed === value;
}

const isListOf = (value: FieldValue, options: readonly string[]): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  new Set(value).size === value.length &&
  value.every((item) => options.includes(item));

function display(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= 80 ? text : `${text.slice(0, 77)}…"`;
}
