import { createHash } from 'node:crypto';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';

/** A digest that is equal for rows with the same values. The order of the values and empty values do not matter. */
export function rowDigest({ fields, properties }: ImportRow): string {
  const sorted = (values: object): unknown[] =>
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([sorted(fields), sorted(properties)]))
    .digest('hex');
}
