import { comparableEmail } from '../../leads/identity.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import type { Table } from '../table/client.ts';
import { type TransactItem, transact } from '../table/transact.ts';
import {
  deleteEmail,
  deletePhone,
  firstHolderIn,
  type IdentityHolder,
  identityOf,
  putEmail,
  putPhone,
} from './identities.ts';
import { leadUpdateItem } from './leads.ts';
import { putChangeEntry } from './timeline.ts';

export type UpdateLeadResult =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'duplicate'; readonly holder: IdentityHolder }
  /** Another request wrote the lead, or is writing it: the caller must read it again. */
  | { readonly outcome: 'conflict' };

/**
 * Writes a changed lead and its timeline entry, creates the identity items of a new phone or email and deletes those of the old one: all
 * or none. One transaction of 2 to 6 items.
 */
export async function updateLead(
  table: Table,
  before: Lead,
  after: Lead,
  entry: TimelineEntry,
): Promise<UpdateLeadResult> {
  const written = await transact(table, [
    leadUpdateItem(table, before, after),
    ...identityChanges(table, before, after),
    putChangeEntry(table, after, entry),
  ]);
  if (written.outcome === 'written') return { outcome: 'changed' };
  if (written.outcome === 'conflict') return { outcome: 'conflict' };
  const holder = firstHolderIn(written.existing, identityOf(after), before.id);
  return holder ? { outcome: 'duplicate', holder } : { outcome: 'conflict' };
}

/** An email that only changes case keeps its item: a transaction may not name an item twice. */
function identityChanges(table: Table, before: Lead, after: Lead): TransactItem[] {
  const items: TransactItem[] = [];
  if (phoneOf(before) !== phoneOf(after)) {
    items.push(deletePhone(table, before, phoneOf(before)), putPhone(table, after, phoneOf(after)));
  }
  const [old, next] = [emailOf(before), emailOf(after)];
  if (comparableEmail(old ?? '') !== comparableEmail(next ?? '')) {
    if (old !== null) items.push(deleteEmail(table, before, old));
    if (next !== null) items.push(putEmail(table, after, next));
  }
  return items;
}
