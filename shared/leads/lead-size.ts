import { limits } from '../contract/limits.ts';
import { validationFailed } from '../contract/refusals.ts';
import type { FieldValue, FieldValues } from './lead.ts';

/** Bytes of a value as DynamoDB counts them (AWS: DynamoDB item sizes and formats), with every number at its maximum size. */
function valueBytes(value: FieldValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'object')
    return value.reduce((sum, item) => sum + Buffer.byteLength(item) + 1, 3);
  return typeof value === 'number' ? 21 : 1;
}

const fieldBytes = ([key, value]: [string, FieldValue]): number =>
  Buffer.byteLength(key) + valueBytes(value);

/** Bytes of a lead's fields as DynamoDB stores them, rounded up. */
export const fieldsBytes = (fields: FieldValues): number =>
  Object.entries(fields).reduce((sum, field) => sum + fieldBytes(field), 0);

/**
 * Checks that a lead fits into an item, and that its JSON fits into a megabyte (design, section 6).
 * @param sent keys of the fields that the request changes; the error names one of them
 * @throws ApiError VALIDATION_FAILED that names the largest field that was sent
 */
export function assertLeadFits(
  fields: FieldValues,
  sent: readonly string[] = Object.keys(fields),
): void {
  const { leadMaxBytes, presentedLeadMaxBytes } = limits;
  const stored = fieldsBytes(fields);
  const presented = Buffer.byteLength(JSON.stringify(fields));
  if (stored <= leadMaxBytes && presented <= presentedLeadMaxBytes) return;
  const all = Object.entries(fields);
  const changed = all.filter(([key]) => sent.includes(key));
  const [largest] = (changed.length > 0 ? changed : all).reduce((a, b) =>
    fieldBytes(b) > fieldBytes(a) ? b : a,
  );
  const sentence = `makes the lead larger than ${leadMaxBytes} bytes stored or ${presentedLeadMaxBytes} bytes as JSON: shorten it.`;
  throw validationFailed([[largest, { reason: 'too_long', sentence }]]);
}
