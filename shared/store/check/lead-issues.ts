import { FieldIssue, isDate, isEmptyValue, parsers, type RawValue } from '../../leads/field-types.ts';
import { type FieldValue, type FieldValues, type Lead, valueOf } from '../../leads/lead.ts';
import type { FieldType } from '../../organization/field-kinds.ts';
import type { Field, Organization } from '../../organization/organization.ts';
import { indexAttributesOf } from '../leads/leads.ts';

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
export function leadIssues(
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
    ...(organization ? [...placeFaults(lead, organization), ...fieldIssues(lead.fields, organization)] : []),
    ...indexFaults(lead, item),
  ].map((issue) => `Lead ${lead.id} of organization ${lead.organizationId} ${issue}.`);
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

function fieldIssues(fields: FieldValues, organization: Organization): string[] {
  const absent = alwaysThere.filter((fieldKey) => valueOf(fields, fieldKey) === null);
  return [
    ...absent.map((fieldKey) => `has no ${fieldKey}`),
    ...Object.entries(fields).flatMap(([fieldKey, value]) => {
      const field = organization.fieldByKey.get(fieldKey);
      if (!field) return [`has a value in the field ${shown(fieldKey)}, which the organization does not have`];
      const issue = value === null ? undefined : valueIssue(field, value, organization);
      return issue ? [`has ${shown(value)} in the field ${fieldKey}, which ${issue}`] : [];
    }),
  ];
}

/** What keeps a stored value from being one of its field; inactive options, sources and people are, since leads keep them. */
function valueIssue(field: Field, value: FieldValue, organization: Organization): string | undefined {
  // Stored settings may be of a later version, whose values this one cannot vouch for.
  if (!Object.hasOwn(valueRules, field.type)) return `has the type ${shown(field.type)}, which this version does not know`;
  const rule = valueRules[field.type];
  return rule.allows(value, field, organization) ? undefined : rule.fault;
}

interface ValueRule {
  readonly allows: (value: FieldValue, field: Field, organization: Organization) => boolean;
  /** What the field takes, as it follows "which". */
  readonly fault: string;
}

const textRule: ValueRule = { allows: isText, fault: 'takes a text that is not empty' };

/** One rule per field type: the compiler names a type that has none. */
const valueRules: Readonly<Record<FieldType, ValueRule>> = {
  text: textRule,
  textarea: textRule,
  number: { allows: (value) => typeof value === 'number' && Number.isFinite(value), fault: 'takes a number' },
  date: { allows: (value) => typeof value === 'string' && isDate(value), fault: 'takes a date, as YYYY-MM-DD' },
  phone: {
    allows: (value) => typeof value === 'string' && /^\+[1-9]\d{3,17}$/.test(value),
    fault: 'takes a phone number in the form of E.164',
  },
  email: { allows: isReadAsItself, fault: 'takes an email address' },
  url: { allows: isReadAsItself, fault: 'takes a web address' },
  select: {
    allows: (value, field) => typeof value === 'string' && optionsOf(field).includes(value),
    fault: 'takes one of its options',
  },
  multiselect: { allows: (value, field) => isListOf(value, optionsOf(field)), fault: 'takes a list of its options' },
  checkbox: { allows: (value) => typeof value === 'boolean', fault: 'takes true or false' },
  lead_source: {
    allows: (value, _, { sourceById }) => sourceById.has(value as number),
    fault: 'takes the id of one of the sources',
  },
  user: { allows: (value, _, { userById }) => userById.has(value as number), fault: 'takes the id of one of the users' },
};

const optionsOf = (field: Field): string[] => field.options.map((option) => option.value);

function isText(value: FieldValue): boolean {
  return typeof value === 'string' && value.trim() !== '';
}

function isReadAsItself(value: FieldValue, field: Field, organization: Organization): boolean {
  if (isEmptyValue(value, field.type)) return false;
  const read = parsers[field.type](value as Exclude<RawValue, null>, field, organization);
  return !(read instanceof FieldIssue) && read === value;
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
