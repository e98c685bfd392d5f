import { claimIdentities, releaseIdentity } from './mend-identities.ts';
import { mendKey } from './mend-keys.ts';
import { mendLead } from './mend-leads.ts';
import { mendRecords, mendRows } from './mend-records.ts';
import type { MendedTable } from './mended-table.ts';
import type { Survey } from './survey.ts';

/** Completes or removes what a restored table has in part, except for erasures and settings. A repeat finds nothing left to do. */
export async function mendTable(mended: MendedTable, survey: Survey): Promise<void> {
  const identities = [...survey.identities];
  for (const lead of survey.leads.values()) identities.push(...(await mendLead(mended, lead)));
  for (const lead of survey.leads.values()) await claimIdentities(mended, lead);
  for (const identity of identities) await releaseIdentity(mended, identity);
  await mendRows(mended, survey.rows);
  await mendRecords(mended, survey.records, survey.organizationOfKey);
}

export async function mendKeys(mended: MendedTable, { keys }: Survey): Promise<void> {
  for (const key of keys) await mendKey(mended, key);
}
