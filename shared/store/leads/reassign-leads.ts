import { changeTimeOf } from '../../leads/changes.ts';
import type { Lead } from '../../leads/lead.ts';
import type { Table } from '../table/client.ts';
import { editLead } from './edit-lead.ts';
import { scanLeadsAscending } from './read-leads.ts';

/** The leads that get another owner. */
export interface OwnedLeads {
  readonly organizationId: number;
  readonly ownerId: number;
  /** @default every stage */
  readonly stageId?: number | undefined;
}

const isOwned = (lead: Lead, { ownerId, stageId }: OwnedLeads): boolean =>
  lead.fields.assigned_to === ownerId && (stageId === undefined || lead.stageId === stageId);

/**
 * A user's leads by ascending ID, including archived ones. Reads every lead of the organization, because archived leads are in no index,
 * and indexes lag. Consistent, a read unit per 4 KB.
 * @param onProgress called with the number of leads read so far
 */
export async function ownedLeads(
  table: Table,
  owned: OwnedLeads,
  onProgress: (leadsRead: number) => void,
): Promise<{ leadIds: readonly number[]; archived: number }> {
  const leadIds: number[] = [];
  let [archived, leadsRead] = [0, 0];
  const pages = scanLeadsAscending(table, owned.organizationId);
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

/** The user who gets a lead, and the administrator who runs the command. */
interface NewOwner {
  readonly newOwnerId: number;
  readonly by: string;
}

/**
 * Gives a lead to another user, with an entry on its timeline. Costs one read and one transaction, repeated while other requests write the
 * lead.
 * @returns false if the lead no longer belongs to `owned`: another request has moved, erased or reassigned it
 * @throws ContentionError
 */
export async function reassignLead(
  table: Table,
  owned: OwnedLeads,
  leadId: number,
  { newOwnerId, by }: NewOwner,
): Promise<boolean> {
  const { organizationId } = owned;
  const { outcome } = await editLead(table, { organizationId, leadId, by }, (before) => {
    if (!isOwned(before, owned)) return { lead: before };
    const updatedAt = changeTimeOf(before, new Date());
    const fields = { ...before.fields, assigned_to: newOwnerId };
    return { lead: { ...before, fields, updatedAt } };
  });
  return outcome === 'changed';
}
