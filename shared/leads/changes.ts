import type { Organization } from '../organization/organization.ts';
import type { RawValue } from './field-values.ts';
import { type FieldValues, type Lead, valueOf } from './lead.ts';
import type { FieldChange } from './timeline.ts';

/**
 * The sent values that differ from the lead's. A value that a caller read and sends back unchanged is not checked: its owner or option may
 * no longer be active.
 */
export function differing(
  organization: Organization,
  lead: Lead,
  raw: Readonly<Record<string, RawValue>>,
): Readonly<Record<string, RawValue>> {
  const isUnchanged = ([fieldKey, value]: [string, RawValue]): boolean =>
    value !== null &&
    organization.fieldByKey.get(fieldKey)?.active === true &&
    JSON.stringify(value) === JSON.stringify(valueOf(lead.fields, fieldKey));
  return Object.fromEntries(Object.entries(raw).filter((entry) => !isUnchanged(entry)));
}

/**
 * An update's changes for the timeline, by field key, `stage` and `pipeline`. IDs and values are those of the lead, not names or labels.
 */
export function changesBetween(before: Lead, after: Lead): FieldChange[] {
  // No field can have the key `stage` or `pipeline`: settings files reserve both.
  const valuesOf = ({ fields, stageId, pipelineId }: Lead): FieldValues => ({
    ...fields,
    stage: stageId,
    pipeline: pipelineId,
  });
  const [old, next] = [valuesOf(before), valuesOf(after)];
  const fields = [...Object.keys(before.fields), ...Object.keys(after.fields)];
  return [...new Set([...fields, 'stage', 'pipeline'])]
    .map((field) => ({ field, from: valueOf(old, field), to: valueOf(next, field) }))
    .filter(({ from, to }) => JSON.stringify(from) !== JSON.stringify(to));
}

/**
 * The time of a change to a lead, or of a new entry on its timeline: `now`, but at least one millisecond after the lead's last change. A
 * function with a slow clock must not move `updatedAt` back, nor sort its entry before an earlier one. Entries of the same millisecond have
 * no order.
 * @returns ISO 8601, UTC
 */
export const changeTimeOf = ({ updatedAt }: Pick<Lead, 'updatedAt'>, now: Date): string =>
  new Date(Math.max(now.getTime(), Date.parse(updatedAt) + 1)).toISOString();
