import { isDate, isEmptyValue, Problem, parsers, type RawValue } from '../../leads/field-types.ts';
import { type FieldValue, type FieldValues, type Lead, valueOf } from '../../leads/lead.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import { indexAttributesOf } from '../leads.ts';

type Item = Readonly<Record<string, unknown>>;

/** The form in which every date-time is stored. */
const storedDateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/;
export const isStoredDateTime = (value: unknown): boolean =>
  typeof value === 'string' && storedDateTime.test(value) && !Number.isNaN(Date.parse(value));

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) > 0;
const isMap = (value: unknown): value is FieldValues => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What an item says a lead is, as far as it can be read: fields that are no map are none. */
export function leadIn(organizationId: number, leadId: number, item: Item): Lead {
  return { ...(item as unknown as Lead), id: leadId, organizationId, fields: isMap(item.fields) ? item.fields : {} };
}

/**
 * Everything that is wrong with a lead by itself and by its organization's settings, as sentences.
 * @param organization undefined when it has no settings: then what refers to them is not looked at
 * @param lastLeadId the last that was given; undefined when that is not known
 */
export function leadFaults(
  lead: Lead,
  item: Item,
  organization: Organization | undefined,
  lastLeadId: number | undefined,
): string[] {
  return [
    ...attributeFaults(item),
    ...(lastLeadId !== undefined && lead.id > lastLeadId
      ? [`has an id beyond ${lastLeadId}, the last that the usage item says was given`]
      : []),
    ...(organization ? [...placeFaults(lead, organization), ...fieldFaults(lead.fields, organization)] : []),
    ...indexFaults(lead, item),
  ].map((fault) => `Lead ${lead.id} of organization ${lead.organizationId} ${fault}.`);
}

function attributeFaults({ version, fields, createdAt, updatedAt, archivedAt }: Item): string[] {
  const dateTimes = Object.entries({ createdAt, updatedAt, ...(archivedAt !== undefined && { archivedAt }) });
  return [
    ...(isCount(version) ? [] : [`has the version ${shown(version)}, which must be a number of writes`]),
    ...(isMap(fields) ? [] : ['has no fields']),
    ...dateTimes
      .filter(([, at]) => !isStoredDateTime(at))
      .map(([name, at]) => `has the ${name} ${shown(at)}, which is no date-time`),
    ...(isStoredDateTime(createdAt) && isStoredDateTime(updatedAt) && String(updatedAt) < String(createdAt)
      ? [`was updated at ${updatedAt}, before it was created at ${createdAt}`]
      : []),
  ];
}

function placeFaults({ stageId, pipelineId }: Lead, { stageById, pipelineById }: Organization): string[] {
  const stage = stageById.get(stageId);
  return [
    ...(stage ? [] : [`is in stage ${shown(stageId)}, which the organization does not have`]),
    ...(pipelineById.has(pipelineId) ? [] : [`is in pipeline ${shown(pipelineId)}, which the organization does not have`]),
    ...(stage && pipelineById.has(pipelineId) && stage.pipelineId !== pipelineId
      ? [`is in pipeline ${pipelineId}, but its stage ${stageId} belongs to pipeline ${stage.pipelineId}`]
      : []),
  ];
}

/** Index attributes that are not what the lead is. */
function indexFaults(lead: Lead, item: Item): string[] {
  const right = indexAttributesOf(lead);
  return (['stageKey', 'ownerKey', 'sourceKey', 'updateKey'] as const).flatMap((name) => {
    if (item[name] === right[name]) return [];
    const is = item[name] === undefined ? 'is missing' : `is ${shown(item[name])}`;
    const wanted =
      right[name] === undefined
        ? lead.archivedAt === undefined
          ? 'absent'
          : 'absent, as the lead is archived'
        : shown(right[name]);
    return [`has an index attribute that disagrees with it: ${name} ${is} and must be ${wanted}`];
  });
}

const alwaysThere = ['name', 'phone', 'lead_type'];

function fieldFaults(fields: FieldValues, organization: Organization): string[] {
  const absent = alwaysThere.filter((fieldKey) => valueOf(fields, fieldKey) === null);
  return [
    ...absent.map((fieldKey) => `has no ${fieldKey}`),
    ...Object.entries(fields).flatMap(([fieldKey, value]) => {
      const field = organization.fieldByKey.get(fieldKey);
      if (!field) return [`has a value in the field ${shown(fieldKey)}, which the organization does not have`];
      const fault = value === null ? undefined : valueFault(field, value, organization);
      return fault ? [`has ${shown(value)} in the field ${fieldKey}, which ${fault}`] : [];
    }),
  ];
}

/** What keeps a stored value from being one of its field; inactive options, sources and people are, since leads keep them. */
function valueFault(field: Field, value: FieldValue, organization: Organization): string | undefined {
  const options = field.options.map((option) => option.value);
  switch (field.type) {
    case 'text':
    case 'textarea':
      return isText(value) ? undefined : 'takes a text that is not empty';
    case 'number':
      return typeof value === 'number' && Number.isFinite(value) ? undefined : 'takes a number';
    case 'date':
      return typeof value === 'string' && isDate(value) ? undefined : 'takes a date, as YYYY-MM-DD';
    case 'phone':
      return typeof value === 'string' && /^\+[1-9]\d{3,17}$/.test(value)
        ? undefined
        : 'takes a phone number in the form of E.164';
    case 'email':
    case 'url':
      return isReadAsItself(field, value, organization)
        ? undefined
        : `takes ${field.type === 'email' ? 'an email' : 'a web'} address`;
    case 'select':
      return typeof value === 'string' && options.includes(value) ? undefined : 'takes one of its options';
    case 'multiselect':
      return isListOf(value, options) ? undefined : 'takes a list of its options';
    case 'checkbox':
      return typeof value === 'boolean' ? undefined : 'takes true or false';
    case 'lead_source':
      return organization.sourceById.has(value as number) ? undefined : 'takes the id of one of the sources';
    case 'user':
      return organization.userById.has(value as number) ? undefined : 'takes the id of one of the users';
  }
}

const isText = (value: FieldValue): boolean => typeof value === 'string' && value.trim() !== '';

function isReadAsItself(field: Field, value: FieldValue, organization: Organization): boolean {
  if (isEmptyValue(value, field.type)) return false;
  const read = parsers[field.type](value as Exclude<RawValue, null>, field, organization);
  return !(read instanceof Problem) && read === value;
}

const isListOf = (value: FieldValue, options: readonly string[]): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  new Set(value).size === value.length &&
  value.every((item) => options.includes(item));

function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'missing';
  return text.length <= 80 ? text : `${text.slice(0, 77)}…"`;
}
