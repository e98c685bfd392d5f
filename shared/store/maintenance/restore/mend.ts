import type { LeadReference } from './lead-identities.ts';
import { claimIdentities, releaseIdentity } from './mend-identities.ts';
import { mendKey } from './mend-keys.ts';
import { mendLead } from './mend-leads.ts';
import { mendRecords, mendRows } from './mend-records.ts';
import type { MendedTable } from './mended-table.ts';
import { nameOf, type Survey } from './survey.ts';

/**
 * Completes or removes what a restored table has in part of leads, except for those that will be erased. To be called before the erasures,
 * which leave alone what another lead has: they find that by its unique items.
 */
export async function mendLeads(
  mended: MendedTable,
  survey: Pick<Survey, 'leads' | 'identities'>,
  except: readonly LeadReference[] = [],
): Promise<void> {
  const excepted = new Set(except.map(nameOf));
  const leads = [...survey.leads.values()].filter((lead) => !excepted.has(nameOf(lead)));
  const identities = survey.identities.filter((part) => !excepted.has(nameOf(part)));
  for (const lead of leads) identities.push(...(await mendLead(mended, lead)));
  for (const lead of leads) await claimIdentities(mended, lead);
  for (const identity of identities) await releaseIdentity(mended, identity);
}

/** Completes or removes what a restored table has in part, except for erasures and settings. A repeat finds nothing left to do. */
export async function mendTable(mended: MendedTable, survey: Survey): Promise<void> {
  await mendLeads(mended, survey);
  await mendRows(mended, survey.rows);
  await mendRecords(mended, survey.records, survey.organizationOfKey);
}

export async function mendKeys(mended: MendedTable, { keys }: Survey): Promise<void> {
  for (const key of keys) await mendKey(mended, key);
}
