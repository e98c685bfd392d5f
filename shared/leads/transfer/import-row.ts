import { isStorableText } from '../../base/json.ts';
import { memoize } from '../../base/maps.ts';
import { asciiFigures } from '../../base/text.ts';
import { limits } from '../../contract/limits.ts';
import { alwaysRequired } from '../../organization/built-in-fields.ts';
import { fieldKinds } from '../../organization/field-kinds.ts';
import { idNamed, type NamedItem } from '../../organization/named.ts';
import { nearestName } from '../../organization/nearest-name.ts';
import type { Organization } from '../../organization/organization.ts';
import { FieldIssue, type RawValue, withAllOptions } from '../field-values.ts';
import { activeFields, applyChanges, FieldIssues, readFields } from '../fields.ts';
import { storedPhone } from '../identity.ts';
import { type FieldValue, type FieldValues, type Lead, valueOf } from '../lead.ts';
import { type LeadStart, startLead } from '../new-lead.ts';
import { placeLead, type RequestedPlace } from '../placement.ts';
import { updatedLead } from '../update.ts';
import type { ImportProperty } from './import-columns.ts';
import { isEmpty, readTimes, refuseOtherTimes, textOf } from './import-times.ts';

/** A value from a file, or why it cannot be read. */
export type RowValue = RawValue | FieldIssue;

/** A row of a file, with its values by field key and by property. A missing value counts as empty. */
export interface ImportRow {
  readonly fields: Readonly<Record<string, RowValue>>;
  readonly properties: Readonly<Partial<Record<ImportProperty, RawValue>>>;
  /**
   * Whether a person entered each value on purpose: an empty value then clears its field, and a pipeline alone moves the lead to its
   * starting stage.
   */
  readonly isEdit?: boolean;
}

export interface RowLead extends Pick<LeadStart, 'rotation'> {
  readonly leadId: number | undefined;
  readonly lead: Omit<Lead, 'id'>;
  readonly note: string | undefined;
  /**
   * Set if the lead refers to an inactive item: the version of the settings by which the row was read. Later settings may remove the item.
   */
  readonly settingsVersion: number | undefined;
}

/**
 * Reads a row by the rules of create-lead; sources, users, stages and pipelines can be named by ID or by name. An exported lead needs only
 * the fields that every lead has. It may have values that are no longer active, and phones that today's rules would refuse or read
 * differently.
 * @param now ISO 8601; the default for the times of creation and update
 * @throws ApiError VALIDATION_FAILED with every issue of the row in `details.fields`
 */
export function readImportRow(organization: Organization, row: ImportRow, now: string): RowLead {
  const { properties } = row;
  const issues = new FieldIssues();
  const leadId = readLeadId(properties.leadId, issues);
  const isExported = !isEmpty(properties.mark) && !isEmpty(properties.leadId);
  const rules = isExported ? withAllActive(organization) : organization;
  const raw = withReferences(rules, Object.entries(row.fields), issues);
  const phones = isExported ? storedPhonesIn(rules, raw, raw) : {};
  const withoutPhones = Object.entries(raw).filter(([key]) => !Object.hasOwn(phones, key));
  const read = readFields(rules, Object.fromEntries(withoutPhones), activeFields(rules), issues);
  const submitted = applyChanges(phones, read);
  const place = namedPlace(rules, properties, issues);
  const stage = place && placeLead(rules, place, issues);
  const times = readTimes(properties, now, issues);
  const note = readNote(properties.note, issues);
  const {
    fields,
    rotation,
    stage: { id: stageId, pipelineId },
  } = startLead(rules, { submitted, stage, mayLackOwner: isExported }, issues);
  const { id: organizationId } = organization;
  const lead = { organizationId, version: 1, fields, stageId, pipelineId, ...times };
  const settingsVersion = isExported ? versionToCheck(organization, lead) : undefined;
  return { leadId, lead, rotation, note, settingsVersion };
}

/**
 * The phone and the email of a row, as far as they can be read. Also the phone as written, because an older lead may have stored it in that
 * form.
 * @param leadFields those of the row's lead, if it has one: a phone takes long to read
 */
export function identityOfRow(
  organization: Organization,
  { fields, properties }: ImportRow,
  leadFields?: FieldValues,
): Readonly<Record<'phone' | 'email' | 'storedPhone', string | undefined>> {
  const rawIn = (value: RowValue = null) => (value instanceof FieldIssue ? null : value);
  const raw = { phone: rawIn(fields.phone), email: rawIn(fields.email) };
  const read = leadFields ?? readFields(organization, raw, organization.fields, new FieldIssues());
  const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);
  const exported = isEmpty(properties.mark) ? {} : storedPhonesIn(organization, raw, raw);
  const phone = exported.phone ?? textIn(read.phone);
  const stored = storedPhone(textIn(raw.phone) ?? '');
  return { phone, email: textIn(read.email), storedPhone: stored };
}

/** The phones of a row that equal the lead's stored phones, by field key. @param values the lead's fields */
const storedPhonesIn = (
  organization: Organization,
  fields: ImportRow['fields'],
  values: ImportRow['fields'],
): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([key, raw]) => {
      const isPhone = organization.fieldByKey.get(key)?.type === 'phone';
      const phone = isPhone && typeof raw === 'string' ? storedPhone(raw) : undefined;
      return phone !== undefined && phone === values[key] ? [[key, phone]] : [];
    }),
  );

/**
 * Applies a row to a lead by the rules of update-lead: its fields, stage and pipeline, and its note. Empty values in a file change nothing.
 * The row must not contradict what an update cannot change: the times, and whether the lead is archived.
 * @throws ApiError VALIDATION_FAILED
 */
export function updatedByRow(
  organization: Organization,
  row: ImportRow,
  lead: Lead,
  now: Date,
): Omit<RowLead, 'leadId' | 'rotation'> & { readonly lead: Lead } {
  const { isEdit = false } = row;
  const issues = new FieldIssues();
  const all = withAllActive(organization);
  const phones = storedPhonesIn(all, row.fields, lead.fields);
  const sent = Object.entries(row.fields).filter(
    ([key, raw]) => (isEdit || textOf(raw) !== '') && !Object.hasOwn(phones, key),
  );
  const fields = withReferences(all, sent, issues);
  const place = namedPlace(organization, row.properties, issues);
  const note = readNote(row.properties.note, issues);
  issues.throwIfAny();
  const isThere = !isEdit && place?.stageId === undefined && place?.pipelineId === lead.pipelineId;
  const requested = { fields, ...(isThere ? {} : place) };
  const isExported = !isEmpty(row.properties.mark);
  const after = updatedLead(isExported ? all : organization, lead, requested, now);
  refuseOtherTimes(row.properties, lead, after, issues);
  issues.throwIfAny();
  const settingsVersion = isExported ? versionToCheck(organization, after, lead) : undefined;
  return { lead: after, note, settingsVersion };
}

/**
 * The version of the settings, if their rules would refuse one of the lead's values as inactive: an apply may be removing that item.
 * @returns undefined if they allow every value, because no apply removes an active item
 */
function versionToCheck(
  organization: Organization,
  { fields, stageId }: Pick<Lead, 'fields' | 'stageId'>,
  before?: Lead,
): number | undefined {
  const issues = new FieldIssues();
  const isNew = ([key, value]: [string, FieldValue]): boolean =>
    JSON.stringify(value) !== JSON.stringify(before && valueOf(before.fields, key));
  // Today's rules may also refuse a phone that a lead already has.
  const canBeInactive = ([key]: [string, FieldValue]): boolean => {
    const field = organization.fieldByKey.get(key);
    if (!field?.active) return true;
    const { references, hasOptions } = fieldKinds[field.type];
    return references !== null || hasOptions;
  };
  const values = Object.fromEntries(Object.entries(fields).filter(canBeInactive).filter(isNew));
  readFields(organization, values, activeFields(organization), issues);
  placeLead(organization, { stageId }, issues, before?.stageId);
  return issues.isEmpty ? undefined : organization.version;
}

/** The organization with every field, option, stage, source and user active, because an exported lead can refer to any of them. */
const withAllActive = memoize((organization: Organization): Organization => {
  const active = <T extends object>(item: T) => ({ ...item, active: true });
  const byId = <T extends object>(items: ReadonlyMap<number, T>) =>
    new Map([...items].map(([id, item]) => [id, active(item)]));
  const fields = organization.fields.map((field) => ({
    ...active(withAllOptions(field)),
    requiredOnCreate: alwaysRequired.includes(field.key),
  }));
  return {
    ...organization,
    fields,
    fieldByKey: new Map(fields.map((field) => [field.key, field])),
    stages: organization.stages.map(active),
    stageById: byId(organization.stageById),
    sourceById: byId(organization.sourceById),
    userById: byId(organization.userById),
  };
});

/** The highest ID that an import may assign. New leads get IDs above it, and about half of all IDs stay free for them. */
const importedIdMax = 1_000_000_000;

function readLeadId(raw: RawValue | undefined, issues: FieldIssues): number | undefined {
  if (isEmpty(raw)) return undefined;
  const text = asciiFigures(String(raw));
  const id = Number(text);
  if (/^[1-9]\d{0,9}$/.test(text) && id <= importedIdMax) return id;
  return issues.add('lead id', 'invalid_id', `must be an integer from 1 to ${importedIdMax}.`);
}

/**
 * Replaces the names of sources and users with their IDs. Leaves other values to the rules, which reject them.
 * @param sent values by field key
 */
function withReferences(
  organization: Organization,
  sent: readonly (readonly [string, RowValue])[],
  issues: FieldIssues,
): Readonly<Record<string, RawValue>> {
  const entries = sent.map(([fieldKey, raw]): [string, RawValue] => {
    if (raw instanceof FieldIssue) {
      issues.add(fieldKey, raw.reason, raw.sentence);
      return [fieldKey, null];
    }
    const type = organization.fieldByKey.get(fieldKey)?.type;
    const references = type === undefined ? null : fieldKinds[type].references;
    if (typeof raw !== 'string' || isEmpty(raw) || references === null) return [fieldKey, raw];
    const noun = nouns[references];
    const id = readNamed({ noun, items: organization[references] }, raw, fieldKey, issues);
    const found = id === undefined ? undefined : organization[`${noun}ById`].get(id);
    if (found?.active === false) {
      const sentence = `is ${found.name}, a ${noun} that is not active: name an active ${noun}.`;
      issues.add(fieldKey, `${noun}_not_active`, sentence);
    }
    return [fieldKey, found?.active ? found.id : null];
  });
  return Object.fromEntries(entries);
}

const nouns = { sources: 'source', users: 'user' } as const;

function readNote(raw: RawValue | undefined, issues: FieldIssues): string | undefined {
  const text = textOf(raw);
  if (text === '') return undefined;
  if (isStorableText(text) && [...text].length <= limits.noteMaxChars) return text;
  const sentence = `must be a text of at most ${limits.noteMaxChars} characters, without U+0000.`;
  return issues.add('note', 'too_long', sentence);
}

interface NamedItems {
  readonly noun: string;
  readonly items: readonly NamedItem[];
}

function readNamed(
  { noun, items }: NamedItems,
  raw: RawValue,
  name: string,
  issues: FieldIssues,
): number | undefined {
  const found = idNamed(items, raw);
  if (typeof found === 'number') return found;
  const names = items.map((item) => item.name);
  const near = nearestName(String(raw), names);
  const example =
    names[0] === undefined
      ? `there is no ${noun} to choose.`
      : `use an ID or a name, such as ${names[0]}.`;
  const hint = near ? `did you mean ${near}?` : example;
  const what =
    found === 'several'
      ? `the name of more than one ${noun}: use the ID instead.`
      : `not a ${noun} of the organization; ${hint}`;
  const sentence = `is ${JSON.stringify(raw)}, which is ${what}`;
  return issues.add(name, 'unknown_option', sentence, { near });
}

/** The stage and the pipeline that a row names by ID or by name; undefined if either has an issue. */
function namedPlace(
  organization: Organization,
  { stage, pipeline }: ImportRow['properties'],
  issues: FieldIssues,
): RequestedPlace | undefined {
  const { pipelines, stages } = organization;
  const pipelineId = isEmpty(pipeline)
    ? undefined
    : readNamed({ noun: 'pipeline', items: pipelines }, pipeline, 'pipeline', issues);
  if (!isEmpty(pipeline) && pipelineId === undefined) return undefined;
  if (isEmpty(stage)) return { pipelineId };
  const items = stages.filter(
    (stage) => pipelineId === undefined || stage.pipelineId === pipelineId,
  );
  const stageId = readNamed({ noun: 'stage', items }, stage, 'stage', issues);
  return stageId === undefined ? undefined : { stageId, pipelineId };
}
