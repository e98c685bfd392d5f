import type { Table } from '../../table/client.ts';
import { getItem } from '../../table/get-item.ts';
import type { IdentityItem } from '../../table/items.ts';
import { leadPrimaryKey } from '../../table/primary-keys.ts';
import {
  holdsIdentity,
  identityKeysOf,
  type LeadPart,
  type LeadReference,
} from './lead-identities.ts';
import { advanceLead } from './mend-leads.ts';
import type { MendedTable } from './mended-table.ts';

const readLeadItem = (table: Table, { organizationId, leadId }: LeadReference) =>
  getItem(table, leadPrimaryKey(organizationId, leadId));

/**
 * Gives a lead the unique items of its phone and its email. If another lead has one of them too, one of the two had given it up when the
 * other got it, and the backup does not have that: that lead comes from the old table. Without the old table, both stay as they are, and the
 * check names them.
 */
export async function claimIdentities(
  mended: MendedTable,
  reference: LeadReference,
): Promise<void> {
  const { table } = mended;
  const { organizationId, leadId } = reference;
  const lead = await readLeadItem(table, reference);
  if (!lead) return;
  for (const key of identityKeysOf(organizationId, lead)) {
    const holderId = (await getItem<IdentityItem>(table, key))?.leadId;
    if (holderId === leadId) continue;
    const part = { ...reference, key };
    const holder = { organizationId, leadId: holderId ?? leadId };
    const isShared =
      holderId !== undefined && holdsIdentity(part, await readLeadItem(table, holder));
    if (isShared && (await advanceLead(mended, reference, key)))
      return claimIdentities(mended, reference);
    if (isShared && !(await advanceLead(mended, holder, key))) continue;
    await mended.claim(part, holderId);
    if (isShared) await claimIdentities(mended, holder);
  }
}

/** Removes a unique phone or email that its lead does not have. */
export async function releaseIdentity(mended: MendedTable, part: LeadPart): Promise<void> {
  if (!holdsIdentity(part, await readLeadItem(mended.table, part))) await mended.release(part);
}
