import type { Lead } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import type { Table } from '../table/client.ts';
import { transact } from '../table/transact.ts';
import type { Write } from '../table/writes.ts';
import { firstHolderIn, type IdentityHolder, identityChanges, identityOf } from './identities.ts';
import { leadUpdateItem } from './leads.ts';
import { putChangeEntry } from './timeline.ts';

type UpdateLeadResult =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'duplicate'; readonly holder: IdentityHolder }
  /** Another request wrote or is writing the lead, so the caller must read it again. */
  | { readonly outcome: 'conflict' };

/**
 * Parts of a transaction: a changed lead, its timeline entry, and the identity items that a new phone or email adds and deletes. 2 to 6
 * writes; a capture has at most 3, because it only fills fields.
 */
export const changedLeadWrites = (before: Lead, after: Lead, entry: TimelineEntry): Write[] => [
  leadUpdateItem(before, after),
  ...identityChanges(before, after),
  putChangeEntry(after, entry),
];

/** Writes a changed lead by `changedLeadWrites`, in one transaction. */
export const updateLead = (
  table: Table,
  before: Lead,
  after: Lead,
  entry: TimelineEntry,
): Promise<UpdateLeadResult> => writeUpdate(table, after, changedLeadWrites(before, after, entry));

/** @param writes `changedLeadWrites`, and other parts of the same transaction */
export async function writeUpdate(
  table: Table,
  after: Lead,
  writes: readonly Write[],
): Promise<UpdateLeadResult> {
  const written = await transact(table, writes);
  if (written.outcome === 'written') return { outcome: 'changed' };
  const holder =
    written.outcome === 'refused' && firstHolderIn(written.existing, identityOf(after), after.id);
  return holder ? { outcome: 'duplicate', holder } : { outcome: 'conflict' };
}
