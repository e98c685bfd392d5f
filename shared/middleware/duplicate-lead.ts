import { ApiError } from '../contract/errors.ts';
import type { Organization } from '../organization/organization.ts';
import type { IdentityHolder } from '../store/leads/identities.ts';
import type { Table } from '../store/table/client.ts';
import { getItem } from '../store/table/get-item.ts';
import { leadPrimaryKey } from '../store/table/primary-keys.ts';

/**
 * The error of a write whose phone or email another lead has. If that lead is archived, the message says so, because no list shows it.
 * Costs one consistent read.
 */
export async function duplicateLead(
  { table, organization }: { readonly table: Table; readonly organization: Organization },
  holder: IdentityHolder,
): Promise<ApiError> {
  const { leadId, field } = holder;
  const lead = await getItem(table, leadPrimaryKey(organization.id, leadId));
  const message =
    lead?.archivedAt &&
    `Lead ${leadId} has this ${field} and is archived: an administrator can restore it.`;
  return new ApiError('DUPLICATE_LEAD', { ...holder }, message);
}
