import { ApiError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { FieldValue, FieldValues } from './lead.ts';

/** Bytes of a value as DynamoDB counts them, rounded up (AWS: DynamoDB item sizes and formats). */
function storedBytes(value: FieldValue): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (typeof value === 'object') return value.reduce((sum, item) => sum + Buffer.byteLength(item) + 1, 3);
  return typeof value === 'number' ? 21 : 1;
}

/** Bytes of a lead's fields as they are stored, rounded up. */
export const fieldsBytes = (fields: FieldValues): number =>
  Object.entries(fields).reduce((sum, [key, value]) => sum + Buffer.byteLength(key) + storedBytes(value), 0);

/**
 * Refuses fields that would outgrow what an item holds, or a megabyte as presented (design, section 6).
 * @param sent keys of the fields that the request changes: it is to hear of those
 * @throws ApiError VALIDATION_FAILED naming the largest field that was sent.
 */
export function assertLeadFits(fields: FieldValues, sent: readonly string[] = Object.keys(fields)): void {
  const sizes = Object.entries(fields).map(([key, value]) => ({ key, bytes: Buffer.byteLength(key) + storedBytes(value) }));
  const stored = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
  const isSmall = stored <= limits.leadMaxBytes && stored * 6 <= limits.presentedLeadMaxBytes; // JSON writes a byte as six at the most
  if (isSmall || (stored <= limits.leadMaxBytes && Buffer.byteLength(JSON.stringify(fields)) <= limits.presentedLeadMaxBytes))
    return;
  const named = sizes.filter(({ key }) => sent.includes(key));
  const largest = (named.length > 0 ? named : sizes).reduce((a, b) => (b.bytes > a.bytes ? b : a));
  const issue = `makes the lead larger than ${limits.leadMaxBytes} bytes stored or ${limits.presentedLeadMaxBytes} as JSON: shorten it.`;
  throw new ApiError('VALIDATION_FAILED', { fields: { [largest.key]: issue } }, `${largest.key} ${issue}`);
}
