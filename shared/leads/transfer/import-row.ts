import { parseDateTime } from '../../date-time.ts';
import { memoize } from '../../memoize.ts';
import { fieldKinds } from '../../organization/field-kinds.ts';
import { nearestName } from '../../organization/nearest-name.ts';
import type { Organization, Stage } from '../../organization/organization.ts';
import { chooseRotation, type Rotation } from '../assignment.ts';
import { FieldIssue, isDate, type RawValue, withAllOptions } from '../field-types.ts';
import { activeFields, applyChanges, FieldIssues, newLeadFields, readFields, requireOnCreate } from '../fields.ts';
import { type FieldValues, ownerIdOf } from '../lead.ts';
import { assertLeadFits } from '../lead-size.ts';
import { placeLead } from '../placement.ts';
import type { ImportProperty } from './import-columns.ts';
import { idNamed, type NamedItem } from './resolve-id.ts';

/** One row of a file, its values by where they go; what is not there is empty. */
export interface ImportRow {
  /** Whether lead export wrote the row. */
  readonly isExported?: boolean;
  readonly fields: Readonly<Record<string, RawValue>>;
  readonly properties: Readonly<Partial<Record<ImportProperty, RawValue>>>;
}

/** A row that may become a lead. */
export interface ReadRow {
  /** In the file's numbering. */
  readonly leadId: number | undefined;
  readonly fields: FieldValues;
  readonly stage: Stage;
  /** Who may own it; undefined when the row says, or when an exported lead has no owner. */
  readonly rotation: Rotation | undefined;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt: string | undefined;
}

/**
 * Reads a row by the rules of create-lead; sources, people, stages and pipelines by id or by name. A lead that lead export wrote
 * is taken as it was, with what is no longer active, and with nothing required but what every lead has.
 * @param now ISO 8601: when a lead was created and updated if the row does not say
 * @throws ApiError VALIDATION_FAILED with every problem of the row in `details.fields`
 */
export function readImportRow(organization: Organization, row: ImportRow, now: string): ReadRow {
  const { fields: sent, properties } = row;
  const issues = new FieldIssues();
  const leadId = readLeadId(properties.leadId, issues);
  const isExported = row.isExported === true && properties.leadId !== undefined && properties.leadId !== null;
  const rules = isExported ? withAllActive(organization) : organization;
  const raw = withReferences(rules, sent, issues);
  const given = applyChanges({}, readFields(rules, raw, activeFields(rules), issues));
  const stage = readPlace(rules, properties, issues);
  requireOnCreate(rules, given, issues);
  const times = readTimes(properties, now, issues);
  const fields = newLeadFields(given);
  const isOwned = isExported || ownerIdOf({ fields }) !== null;
  const rotation = stage && !isOwned ? chooseRotation(organization, fields, stage.pipelineId) : undefined;
  if (stage && !isOwned && !rotation) {
    const sentence = 'is needed: the organization has no active person to own new leads.';
    issues.add('assigned_to', new FieldIssue(sentence, 'NO_ACTIVE_OWNER'));
  }
  issues.throwIfAny();
  assertLeadFits(fields);
  if (!stage) throw new Error('A row without a stage passed the rules.');
  return { leadId, fields, stage, rotation, ...times };
}

/** The organization as it was when all that leads still have was active. */
const withAllActive = memoize((organization: Organization): Organization => {
  const active = <T extends { readonly active: boolean }>(item: T): T => ({ ...item, active: true });
  const byId = <T extends { readonly id: number; readonly active: boolean }>(items: readonly T[]) =>
    new Map(items.map((item) => [item.id, active(item)]));
  const fields = organization.fields.map((field) => ({
    ...active(field),
    requiredOnCreate: field.key === 'name' || field.key === 'phone',
    options: withAllOptions(field).options,
  }));
  const stages = organization.stages.map(active);
  return {
    ...organization,
    fields,
    fieldByKey: new Map(fields.map((field) => [field.key, field])),
    stages,
    stageById: byId(organization.stages),
    sourceById: byId(organization.sources),
    userById: byId(organization.users),
  };
});

/** Ids go on behind the highest that is kept: half of them stay for new leads. */
const keptIdMax = 1_000_000_000;

function readLeadId(raw: RawValue | undefined, issues: FieldIssues): number | undefined {
  if (raw === undefined || raw === null) return undefined;
  const id = Number(raw);
  if (/^[1-9]\d{0,9}$/.test(String(raw)) && id <= keptIdMax) return id;
  issues.add('lead id', new FieldIssue(`takes an integer from 1 to ${keptIdMax}.`));
  return undefined;
}

/** Names of sources and people become ids. What is neither stays, and the rules refuse it. */
function withReferences(
  organization: Organization,
  sent: ImportRow['fields'],
  issues: FieldIssues,
): Readonly<Record<string, RawValue>> {
  const entries = Object.entries(sent).map(([fieldKey, raw]): [string, RawValue] => {
    const type = organization.fieldByKey.get(fieldKey)?.type;
    const references = type === undefined ? null : fieldKinds[type].references;
    if (typeof raw !== 'string' || raw.trim() === '' || references === null) return [fieldKey, raw];
    const items = { noun: nouns[references], items: organization[references] };
    return [fieldKey, readNamed(items, raw, fieldKey, issues) ?? null];
  });
  return Object.fromEntries(entries);
}

const nouns = { sources: 'source', users: 'person' } as const;

interface NamedItems {
  readonly noun: string;
  readonly items: readonly NamedItem[];
}

function readNamed({ noun, items }: NamedItems, raw: RawValue, field: string, issues: FieldIssues): number | undefined {
  const found = idNamed(items, raw);
  if (typeof found === 'number') return found;
  const said = JSON.stringify(raw);
  if (found === 'several') {
    issues.add(field, new FieldIssue(`names more than one ${noun} with ${said}: give the id instead.`));
    return undefined;
  }
  const near = nearestName(
    String(raw),
    items.map(({ name }) => name),
  );
  const hint = near ? `is ${near} meant?` : `it takes an id or a name, such as ${items[0]?.name ?? 'none, as there is none'}.`;
  issues.add(field, new FieldIssue(`says ${said}, which is no ${noun} of the organization; ${hint}`));
  return undefined;
}

function readPlace(
  organization: Organization,
  { stage, pipeline }: ImportRow['properties'],
  issues: FieldIssues,
): Stage | undefined {
  const isGiven = (raw: RawValue | undefined): raw is Exclude<RawValue, null> => raw !== undefined && raw !== null && raw !== '';
  const pipelineId = isGiven(pipeline)
    ? readNamed({ noun: 'pipeline', items: organization.pipelines }, pipeline, 'pipeline', issues)
    : undefined;
  if (isGiven(pipeline) && pipelineId === undefined) return undefined;
  if (!isGiven(stage)) return placeLead(organization, { pipelineId }, issues);
  const own = organization.stages.filter((one) => pipelineId === undefined || one.pipelineId === pipelineId);
  const stageId = readNamed({ noun: 'stage', items: own }, stage, 'stage', issues);
  return stageId === undefined ? undefined : placeLead(organization, { stageId, pipelineId }, issues);
}

function readTimes(properties: ImportRow['properties'], now: string, issues: FieldIssues) {
  const given = (['createdAt', 'updatedAt'] as const).map((name) => {
    const raw = properties[name];
    return raw === undefined || raw === null ? undefined : readTime(name, raw, now, issues);
  });
  const [created, updated] = given;
  // Not given, the lead was updated now: a sync job that walks updated_since must meet it.
  const updatedAt = updated ?? now;
  const createdAt = created ?? updatedAt;
  if (updatedAt < createdAt) issues.add('updated at', new FieldIssue(`is before the lead was created at ${createdAt}.`));
  return { createdAt, updatedAt, archivedAt: readArchived(properties.archived, updatedAt, now, issues) };
}

const headings = { createdAt: 'created at', updatedAt: 'updated at', archived: 'archived' } as const;

function readTime(name: keyof typeof headings, raw: RawValue, now: string, issues: FieldIssues): string | undefined {
  const text = typeof raw === 'string' ? raw.trim() : '';
  const at = parseDateTime(isDate(text) ? `${text}T00:00:00Z` : text);
  if (at === undefined) {
    issues.add(headings[name], new FieldIssue('takes a date-time with an offset, such as 2026-01-31T18:30:00+05:30, or a date.'));
    return undefined;
  }
  if (at > Date.parse(now)) issues.add(headings[name], new FieldIssue(`is in the future: ${text}.`));
  return new Date(at).toISOString();
}

const yes = new Set(['true', 'yes', 'y', '1', 'archived']);
const no = new Set(['', 'false', 'no', 'n', '0']);

function readArchived(raw: RawValue | undefined, updatedAt: string, now: string, issues: FieldIssues): string | undefined {
  const text = raw === undefined || raw === null ? '' : String(raw).trim().toLowerCase();
  if (no.has(text)) return undefined;
  return yes.has(text) ? updatedAt : readTime('archived', raw ?? null, now, issues);
}
