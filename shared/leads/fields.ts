import { type Refusal, validationFailed } from '../contract/refusals.ts';
import type { FieldReason } from '../contract/types.ts';
import { neverEmpty } from '../organization/built-in-fields.ts';
import { nearestName } from '../organization/nearest-name.ts';
import type { Field, Organization } from '../organization/organization.ts';
import { parsers } from './field-types.ts';
import { FieldIssue, isEmptyValue, type RawValue } from './field-values.ts';
import { type FieldValue, type FieldValues, valueOf } from './lead.ts';

/** A request's changes by field key: the new value, or null to clear the field. */
type FieldChanges = Readonly<Record<string, FieldValue | null>>;

/** How many unknown keys of a request get a "did you mean". Each is compared with every known key, and there can be thousands of both. */
const nearMissesMax = 10;

/** Collects the issues of a request by field key, so that one response reports all of them. */
export class FieldIssues {
  readonly #issues = new Map<string, Refusal>();
  #validKeys: readonly string[] | undefined;
  #unknownKeys = 0;

  /** Keeps only the first issue of a field. */
  add(
    fieldKey: string,
    reason: FieldReason,
    sentence: string,
    more: Pick<Refusal, 'listedBy' | 'near'> = {},
  ): undefined {
    if (!this.#issues.has(fieldKey)) this.#issues.set(fieldKey, { reason, sentence, ...more });
  }

  /** Reports a key that is not an active field; `throwIfAny` lists the valid keys. @param accepted the fields that this request may send */
  addUnknown(fieldKey: string, accepted: readonly Field[]): void {
    this.#validKeys ??= accepted.map(({ key }) => key);
    this.#unknownKeys += 1;
    const near =
      this.#unknownKeys <= nearMissesMax ? nearestName(fieldKey, this.#validKeys) : undefined;
    const hint = near ? `; did you mean ${near}?` : '.';
    this.add(fieldKey, 'unknown_field', `is not an active field${hint}`);
  }

  get isEmpty(): boolean {
    return this.#issues.size === 0;
  }

  /** @throws ApiError VALIDATION_FAILED with every issue; with `details.validKeys` if a key is unknown */
  throwIfAny(): void {
    if (this.#issues.size > 0) throw validationFailed([...this.#issues], this.#validKeys);
  }
}

/**
 * Reads a request's fields by the organization's rules, and adds an issue for each invalid value.
 * @param accepted the fields that this request may send
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
    const read = isEmptyValue(value, field.type)
      ? null
      : parsers[field.type](value, field, organization);
    if (read instanceof FieldIssue) {
      const { reason, sentence, listedBy } = read;
      issues.add(fieldKey, reason, sentence, { listedBy });
    } else changes[fieldKey] = read;
  }
  return changes;
}

export const activeFields = (organization: Organization): readonly Field[] =>
  organization.fields.filter(({ active }) => active);

/** The fields after the changes; empty fields are absent. */
export function applyChanges(fields: FieldValues, changes: FieldChanges): FieldValues {
  return Object.fromEntries(
    Object.entries({ ...fields, ...changes }).filter(
      (entry): entry is [string, FieldValue] => entry[1] !== null,
    ),
  );
}

/** Whether a form shows the field: `showWhen` holds or is null (contract, section 2). */
export function isAskedFor({ showWhen }: Field, fields: FieldValues): boolean {
  return showWhen === null || isOneOf(valueOf(fields, showWhen.field), showWhen.equals);
}

/** Whether a value, or an item of a list, is written as one of these texts: `true`, `3`, an option's value. */
export function isOneOf(value: FieldValue | null, texts: readonly string[]): boolean {
  if (value === null) return false;
  const values: readonly unknown[] = typeof value === 'object' ? value : [value];
  return values.some((item) => texts.includes(String(item)));
}

/**
 * Reports each field that is required on edit and that the changes would clear. Ignores fields that are not sent or already empty.
 * @param before the lead's fields
 */
export function requireOnEdit(
  organization: Organization,
  before: FieldValues,
  changes: FieldChanges,
  issues: FieldIssues,
): void {
  const after = applyChanges(before, changes);
  for (const [fieldKey, value] of Object.entries(changes)) {
    const field = organization.fieldByKey.get(fieldKey);
    if (value !== null || !field) continue;
    const isRequired =
      field.requiredOnEdit && valueOf(before, fieldKey) !== null && isAskedFor(field, after);
    if (neverEmpty.includes(fieldKey) || isRequired)
      issues.add(fieldKey, 'required', 'cannot be emptied.');
  }
}
