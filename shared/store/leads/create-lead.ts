import type { Lead } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import { identityPrimaryKeys, putIdentities } from './identities.ts';
import { putLead } from './leads.ts';
import { putTimelineEntry } from './timeline.ts';

/** The id of the lead that has the phone, else of the one that has the e-mail. One `BatchGetItem`, a read unit each. */
export async function findLeadByIdentity(
  table: Table,
  organizationId: number,
  phone: string | undefined,
  email: string | undefined,
): Promise<number | undefined> {
  const items = await batchGet(table, identityPrimaryKeys(organizationId, phone, email));
  return items.find((item) => item !== undefined)?.leadId as number | undefined;
}

export type CreateLeadResult =
  | { readonly outcome: 'created'; readonly lead: Lead }
  | { readonly outcome: 'duplicate'; readonly leadId: number | undefined };

/**
 * Writes a lead, its identity items and its first timeline entry: all or none. One transaction of 3 or 4 items.
 * @param leadAt makes them of the time, which is set anew at each try: a list by `updated_since` looks back from the commit by seconds only
 * @throws StillContended
 */
export async function createLead(
  table: Table,
  leadAt: (now: string) => { readonly lead: Lead; readonly opening: TimelineEntry },
): Promise<CreateLeadResult> {
  return retryOnConflict<CreateLeadResult>(async () => {
    const { lead, opening } = leadAt(new Date().toISOString());
    const written = await transact(table, [
      ...putIdentities(table, lead),
      putTimelineEntry(table, lead, opening),
      putLead(table, lead),
    ]);
    if (written.outcome === 'conflict') return conflict;
    if (written.outcome === 'written') return { outcome: 'created', lead };
    const holder = written.existing.find((item) => item?.leadId !== undefined);
    return { outcome: 'duplicate', leadId: holder?.leadId as number | undefined };
  });
}
