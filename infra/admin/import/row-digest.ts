import { createHash } from 'node:crypto';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';

/**
 * A digest that is equal for rows with the same values, and the same columns that cannot be read. The order of the values and empty values do
 * not matter.
 */
export function rowDigest({ fields, properties, note, unreadable = {} }: ImportRow): string {
  const sorted = (values: object): unknown[] =>
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  const parts = [sorted(fields), sorted(properties), note ?? null, Object.keys(unreadable)];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
