import { changesBetween, changeTimeOf } from '../../leads/changes.ts';
import { type Lead, ownerIdOf } from '../../leads/lead.ts';
import { readLead } from '../leads/leads.ts';
import { updateLead } from '../leads/update-lead.ts';
import type { Table } from '../table/client.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { scanLeadsAscending } from './read-leads.ts';

/** The leads that change their owner. */
export interface OwnedLeads {
  readonly organizationId: number;
  readonly ownerId: number;
  /** @default every stage */
  readonly stageId?: number | undefined;
}

const isOwned = (lead: Lead, { ownerId, stageId }: OwnedLeads): boolean =>
  ownerIdOf(lead) === ownerId && (stageId === undefined || lead.stageId === stageId);

/**
 * The leads of a user by ascending ID, archived ones too. Reads every lead of the organization, because archived leads are in no index and
 * an index lags: consistent, a read unit per 4 KB.
 * @param onProgress called with the number of leads read so far
 */
export async function ownedLeads(
  table: Table,
  owned: OwnedLeads,
  onProgress: (leadsRead: number) => void,
): Promise<{ leadIds: readonly number[]; archived: number }> {
  const leadIds: number[] = [];
  let [archived, leadsRead] = [0, 0];
  const pages = scanLeadsAscending(table, owned.organizationId, { withArchived: true });
  for await (const page of pages) {
    for (const lead of page) {
      if (!isOwned(lead, owned)) continue;
      leadIds.push(lead.id);
      if (lead.archivedAt !== undefined) archived += 1;
    }
    leadsRead += page.length;
    onProgress(leadsRead);
  }
  return { leadIds, archived };
}

/**
 * Gives one of the leads to another user, with an entry on its timeline. One read and one transaction, repeated while other requests write
 * the lead.
 * @returns false if the lead is no longer one of them: another request has moved or erased it, or given it away
 * @throws ContentionError
 */
export async function reassignLead(
  table: Table,
  owned: OwnedLeads,
  leadId: number,
  newOwnerId: number,
): Promise<boolean> {
  return retryOnConflict(async () => {
    const before = await readLead(table, owned.organizationId, leadId);
    if (!before || !isOwned(before, owned)) return false;
    const at = changeTimeOf(before, new Date()).toISOString();
    const after = {
      ...before,
      fields: { ...before.fields, assigned_to: newOwnerId },
      updatedAt: at,
    };
    const { outcome } = await updateLead(table, before, after, {
      type: 'lead_updated',
      at,
      actorId: null,
      via: 'admin',
      changes: changesBetween(before, after),
    });
    return outcome === 'changed' ? true : conflict;
  });
}
