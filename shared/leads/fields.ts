import { ApiError } from '../errors.ts';
import { nearestName } from '../organization/nearest-name.ts';
import type { Field, Organization } from '../organization/organization.ts';
import { FieldIssue, isEmptyValue, parsers, type RawValue } from './field-types.ts';
import { type FieldValue, type FieldValues, valueOf } from './lead.ts';

/** What a request says of fields: a value, or null for a field to be empty. */
export type FieldChanges = Readonly<Record<string, FieldValue | null>>;

/** The unknown keys of one request that are compared with every known one: a body can hold thousands of each. */
const nearMissesMax = 10;

/** Refusals by field key, gathered so that a caller reads all of them at once. */
export class FieldIssues {
  readonly #problems = new Map<string, FieldIssue>();
  #validKeys: readonly string[] | undefined;
  #unknownKeys = 0;

  /** The first problem of a field stands. */
  add(fieldKey: string, issue: FieldIssue): void {
    if (!this.#problems.has(fieldKey)) this.#problems.set(fieldKey, issue);
  }

  /** A key that is no active field; the refusal lists those that are. */
  addUnknown(fieldKey: string, accepted: readonly Field[]): void {
    this.#validKeys ??= accepted.map(({ key }) => key);
    this.#unknownKeys += 1;
    const near = this.#unknownKeys <= nearMissesMax ? nearestName(fieldKey, this.#validKeys) : undefined;
    this.add(fieldKey, new FieldIssue(near ? `is not an active field; is ${near} meant?` : 'is not an active field.'));
  }

  /**
   * @throws ApiError VALIDATION_FAILED, with `details.fields`; with `details.validKeys` after an unknown key; with `details.reason` and
   * `details.field` for a refused stage, pipeline, owner or source.
   */
  throwIfAny(): void {
    if (this.#problems.size === 0) return;
    const issues = [...this.#problems];
    const fields = Object.fromEntries(issues.map(([fieldKey, { sentence }]) => [fieldKey, sentence]));
    const refused = issues.find(([, { reason }]) => reason !== undefined);
    const details = {
      fields,
      ...(refused && { reason: refused[1].reason, field: refused[0] }),
      ...(this.#validKeys && { validKeys: this.#validKeys }),
    };
    const sentences = issues.map(([fieldKey, { sentence }]) => `${fieldKey} ${sentence}`);
    throw new ApiError('VALIDATION_FAILED', details, sentences.slice(0, 3).join(' '));
  }
}

/**
 * Reads what was sent for fields by the organization's rules; what cannot be read goes to the problems.
 * @param accepted the fields that may be sent here
 */
export function readFields(
  organization: Organization,
  raw: Readonly<Record<string, RawValue>>,
  accepted: readonly Field[],
  issues: FieldIssues,
): FieldChanges {
  const changes: Record<string, FieldValue | null> = {};
  for (const [fieldKey, value] of Object.entries(raw)) {
    const field = accepted.find(({ key }) => key === fieldKey);
    if (!field) {
      issues.addUnknown(fieldKey, accepted);
      continue;
    }
    const read = isEmptyValue(value, field.type) ? null : parsers[field.type](value, field, organization);
    if (read instanceof FieldIssue) issues.add(fieldKey, read);
    else changes[fieldKey] = read;
  }
  return changes;
}

export const activeFields = (organization: Organization): readonly Field[] => organization.fields.filter(({ active }) => active);

/** The values after the changes; what is empty is absent. */
export function applyChanges(fields: FieldValues, changes: FieldChanges): FieldValues {
  return Object.fromEntries(
    Object.entries({ ...fields, ...changes }).filter((entry): entry is [string, FieldValue] => entry[1] !== null),
  );
}

/** Whether a form asks for the field: `showWhen` holds, or there is none (contract, section 2). */
export function isAskedFor({ showWhen }: Field, fields: FieldValues): boolean {
  return showWhen === null || isOneOf(valueOf(fields, showWhen.field), showWhen.equals);
}

/** Whether a value, or one item of a list, is among these as texts: `true`, `3`, an option's value. */
export function isOneOf(value: FieldValue | null, texts: readonly string[]): boolean {
  if (value === null) return false;
  const values: readonly unknown[] = typeof value === 'object' ? value : [value];
  return values.some((one) => texts.includes(String(one)));
}

/** A new lead's fields: of type student when not given (LOCAL.md, "Fields"). */
export const newLeadFields = (fields: FieldValues): FieldValues => ({ lead_type: 'student', ...fields });

/**
 * Adds to the problems what a new lead lacks of what the organization requires on create. The owner is never missing: the assignment rules choose one.
 */
export function requireOnCreate(organization: Organization, fields: FieldValues, issues: FieldIssues): void {
  const complete = newLeadFields(fields);
  for (const field of activeFields(organization)) {
    const wanted = field.requiredOnCreate && field.key !== 'assigned_to' && isAskedFor(field, complete);
    if (wanted && valueOf(fields, field.key) === null) issues.add(field.key, new FieldIssue('is required.'));
  }
}

/**
 * Adds to the problems what the changes would empty of what the organization requires on edit. Fields that were not sent, or are empty already, are left alone.
 */
export function requireOnEdit(
  organization: Organization,
  before: FieldValues,
  changes: FieldChanges,
  after: FieldValues,
  issues: FieldIssues,
): void {
  for (const [fieldKey, value] of Object.entries(changes)) {
    const field = organization.fieldByKey.get(fieldKey);
    if (value !== null || !field) continue;
    const keptAlways = field.key === 'lead_type'; // a lead is always of one type: contract, section 2
    const isEmptied = field.requiredOnEdit && valueOf(before, fieldKey) !== null && isAskedFor(field, after);
    if (keptAlways || isEmptied) issues.add(fieldKey, new FieldIssue('cannot be emptied.'));
  }
}
