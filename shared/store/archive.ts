import type { Lead } from '../leads/lead.ts';
import type { Table } from './client.ts';
import { readLead, updateLead } from './leads.ts';
import { lookAgain, metAnother } from './look-again.ts';
import { putTimelineEntry } from './timeline.ts';
import { transact } from './transact.ts';

/**
 * Archives a lead, or restores it, and notes it on its timeline; a lead that is so already is left as it is.
 * Returns the lead after it, undefined when there is none. One read and one transaction, again while others write the lead.
 * @throws StillContended
 */
export async function setArchived(
  table: Table,
  organizationId: number,
  leadId: number,
  archived: boolean,
): Promise<Lead | undefined> {
  return lookAgain(async () => {
    const lead = await readLead(table, organizationId, leadId);
    if (!lead || (lead.archivedAt !== undefined) === archived) return lead;
    const at = new Date(Math.max(Date.now(), Date.parse(lead.updatedAt))).toISOString();
    const { archivedAt: _, ...active } = { ...lead, updatedAt: at };
    const after = archived ? { ...active, archivedAt: at } : active;
    const { outcome } = await transact(table, [
      updateLead(table, lead, after),
      putTimelineEntry(table, lead, { type: archived ? 'archived' : 'restored', at, actorId: null }),
    ]);
    return outcome === 'written' ? after : metAnother;
  });
}
