import type { Lead } from '../../leads/lead.ts';
import type { TimelineEntry } from '../../leads/timeline.ts';
import { batchGet } from '../table/batch-get.ts';
import type { Table } from '../table/client.ts';
import { conflict, retryOnConflict } from '../table/retry.ts';
import { transact } from '../table/transact.ts';
import type { Write } from '../table/writes.ts';
import {
  firstHolderIn,
  type IdentityHolder,
  identityOf,
  identityPrimaryKeys,
  type LeadIdentity,
  putIdentities,
} from './identities.ts';
import { putLead } from './leads.ts';
import { putChangeEntry } from './timeline.ts';

/** The lead other than `ownId` that has the phone or, if there is none, the email. One `BatchGetItem`, a read unit for each. */
export const findLeadByIdentity = async (
  table: Table,
  identity: LeadIdentity,
  ownId?: number,
): Promise<IdentityHolder | undefined> =>
  firstHolderIn(await batchGet(table, identityPrimaryKeys(identity)), identity, ownId);

/** Parts of a transaction: a lead, its identity items and its first timeline entry. 3 or 4 writes. */
export const newLeadWrites = (lead: Lead, opening: TimelineEntry): Write[] => [
  putLead(lead),
  ...putIdentities(lead),
  putChangeEntry(lead, opening),
];

type CreateLeadResult =
  | { readonly outcome: 'created'; readonly lead: Lead }
  | { readonly outcome: 'duplicate'; readonly holder: IdentityHolder };

/**
 * Writes a new lead by `newLeadWrites`, in one transaction.
 * @param leadAt called with the time of each attempt, because a list by `updated_since` allows for only seconds between `updatedAt` and the
 * commit
 * @throws ContentionError
 */
export async function createLead(
  table: Table,
  leadAt: (now: string) => { readonly lead: Lead; readonly opening: TimelineEntry },
): Promise<CreateLeadResult> {
  return retryOnConflict<CreateLeadResult>(async () => {
    const { lead, opening } = leadAt(new Date().toISOString());
    const written = await transact(table, newLeadWrites(lead, opening));
    if (written.outcome === 'written') return { outcome: 'created', lead };
    // If an import that keeps IDs has taken the ID, the caller's retry gets another one.
    const holder =
      written.outcome === 'refused' && firstHolderIn(written.existing, identityOf(lead));
    return holder ? { outcome: 'duplicate', holder } : conflict;
  });
}
