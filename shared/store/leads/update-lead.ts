import { comparableEmail } from '../../leads/identity.ts';
import { emailOf, type Lead, phoneOf } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import type { Table } from '../table/client.ts';
import { type TransactItem, transact } from '../table/transact.ts';
import { deleteEmail, deletePhone, putEmail, putPhone } from './identities.ts';
import { leadUpdateItem } from './leads.ts';
import { putTimelineEntry } from './timeline.ts';

export type UpdateLeadResult =
  | { readonly outcome: 'changed' }
  | { readonly outcome: 'duplicate'; readonly leadId: number }
  /** Another request wrote the lead, or is writing it: read it again. */
  | { readonly outcome: 'conflict' };

/**
 * Writes a changed lead, its timeline entry, and the identity items that a new phone or e-mail takes and an old one leaves: all or none.
 * One transaction of 2 to 6 items.
 */
export async function updateLead(table: Table, before: Lead, after: Lead, entry: TimelineEntry): Promise<UpdateLeadResult> {
  const written = await transact(table, [
    leadUpdateItem(table, before, after),
    ...identityChanges(table, before, after),
    putTimelineEntry(table, before, entry),
  ]);
  if (written.outcome === 'written') return { outcome: 'changed' };
  if (written.outcome === 'conflict') return { outcome: 'conflict' };
  const holderId = written.existing.find((item) => item?.leadId !== undefined && item.leadId !== before.id)?.leadId;
  return typeof holderId === 'number' ? { outcome: 'duplicate', leadId: holderId } : { outcome: 'conflict' };
}

/** An e-mail that only changes case stays the same identity: a transaction may not name an item twice. */
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
