import type { LeadClient } from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import { compareWithExport, type Export } from './comparison.ts';
import { type Counts, type Progress, syncLeads } from './leads.ts';
import { syncReferenceLists } from './reference-lists.ts';
import { createTables, type SqlDatabase } from './sql-database.ts';
import { compareTimelines, syncTimelines } from './timelines.ts';

export interface SyncOptions {
  /** The output of `organization show --json`. */
  readonly organization?: string | undefined;
  /** A file of `lead timelines`. */
  readonly timelines?: string | undefined;
  /** With an export, all leads and all lines of the timelines are compared, and what differs is repaired. */
  readonly leads?: Export | undefined;
  readonly progress?: Progress;
}

export interface SyncResult {
  readonly changedLeads: number;
  readonly newItems: number;
  /** Of a comparison. */
  readonly leads?: Counts | undefined;
  readonly items?: Counts | undefined;
}

/**
 * Makes the database equal to the service. Timelines come first: a lead that was restored after the file was written is then found among
 * the changed leads.
 */
export async function sync(
  client: LeadClient,
  database: SqlDatabase,
  { organization, timelines, leads: exported, progress = () => undefined }: SyncOptions,
): Promise<SyncResult> {
  await createTables(database);
  if (organization !== undefined) await syncReferenceLists(client, database, organization);
  const readTimelines = exported ? compareTimelines : syncTimelines;
  const items =
    timelines === undefined ? undefined : await readTimelines(database, timelines, progress);
  const leads = exported && (await compareWithExport(client, database, exported, progress));
  const changed = await syncLeads(client, database, progress); // also what changed while the leads were compared
  return {
    newItems: items?.new ?? 0,
    changedLeads: changed + (leads?.changed ?? 0),
    leads,
    items: exported && items,
  };
}
