import type { Lead } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import type { Table } from '../table/client.ts';
import { transact } from '../table/transact.ts';
import type { Write } from '../table/writes.ts';
import { firstHolderIn, type IdentityHolder, identityChanges, identityOf } from './identities.ts';
import { leadUpdateItem } from './leads.ts';
import { putChangeEntry } from './timeline.ts';

export type UpdateLeadResult =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'duplicate'; readonly holder: IdentityHolder }
  /** Another request wrote the lead, or is writing it: the caller must read it again. */
  | { readonly outcome: 'conflict' };

/**
 * Parts of a transaction: a changed lead and its timeline entry, the identity items of a new phone or email, and the deletion of those of
 * the old one. 2 to 6 writes; of a capture at most 3, since it only fills.
 */
export const changedLeadWrites = (before: Lead, after: Lead, entry: TimelineEntry): Write[] => [
  leadUpdateItem(before, after),
  ...identityChanges(before, after),
  putChangeEntry(after, entry),
];

/** Writes a changed lead of `changedLeadWrites`, all or none, in one transaction. */
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
