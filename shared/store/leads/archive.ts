import { changeTimeOf } from '../../leads/changes.ts';
import type { Lead } from '../../leads/lead.ts';
import { auditEntryPut } from '../organizations/audit-log.ts';
import type { Table } from '../table/client.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { leadUpdateItem, readLead } from './leads.ts';
import { putTimelineEntry } from './timeline.ts';

export interface Archived {
  readonly lead: Lead;
  readonly isChanged: boolean;
}

/**
 * Archives or restores a lead and adds the timeline entry. Does nothing if the lead is already archived, or active. Costs one read and one
 * transaction, repeated while other requests write the lead.
 * @param who the administrator, named on the timeline and in a new entry of the audit log
 * @returns the lead as it is now, and whether this call changed it; undefined if there is no such lead
 * @throws ContentionError
 */
export async function setArchived(
  table: Table,
  organizationId: number,
  leadId: number,
  { archived, who }: { readonly archived: boolean; readonly who?: string | undefined },
): Promise<Archived | undefined> {
  const what = `lead ${archived ? 'archive' : 'restore'} ${leadId}`;
  return retryOnConflict<Archived | undefined>(async () => {
    const lead = await readLead(table, organizationId, leadId);
    if (!lead) return undefined;
    if ((lead.archivedAt !== undefined) === archived) return { lead, isChanged: false };
    const at = changeTimeOf(lead, new Date());
    const { archivedAt: _, ...active } = { ...lead, updatedAt: at };
    const after = archived ? { ...active, archivedAt: at } : active;
    const { outcome } = await transact(table, [
      leadUpdateItem(lead, after),
      putTimelineEntry(lead, {
        type: archived ? 'archived' : 'restored',
        at,
        actorId: null,
        ...(who !== undefined && { by: who }),
      }),
      ...(who === undefined
        ? []
        : [auditEntryPut(organizationId, { who, what, leadIds: [leadId] })]),
    ]);
    return outcome === 'written' ? { lead: after, isChanged: true } : conflict;
  });
}
