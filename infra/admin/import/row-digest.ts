import { createHash } from 'node:crypto';
import { comparableEmail } from '../../../shared/leads/identity.ts';
import { emailOf, type FieldValues, phoneOf } from '../../../shared/leads/lead.ts';
import type { ImportRow } from '../../../shared/leads/transfer/import-row.ts';

/** The same for rows that say the same, in whatever order; an empty value says nothing. */
export function rowDigest({ fields, properties }: ImportRow): string {
  const said = (values: object): unknown[] =>
    Object.entries(values)
      .filter(([, value]) => value !== null)
      .sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([said(fields), said(properties)]))
    .digest('hex');
}

/** What no two leads may share, named. */
export function identityNames(fields: FieldValues): string[] {
  const email = emailOf({ fields });
  return [`phone ${phoneOf({ fields })}`, ...(email === null ? [] : [`email ${comparableEmail(email)}`])];
}
