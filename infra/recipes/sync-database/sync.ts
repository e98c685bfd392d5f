import type { LeadClient } from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import { compareWithExport, compareWithService, type Export } from './comparison.ts';
import { type Choice, type Counts, removeUnwantedMarks, syncLeads } from './leads.ts';
import { syncReferenceLists } from './reference-lists.ts';
import { createTables, type SqlDatabase } from './sql-database.ts';
import { compareTimelines, syncTimelines } from './timelines.ts';

export interface SyncOptions extends Choice {
  /** The output of `organization show --json`. */
  readonly organization?: string | undefined;
  /** A file of `lead timelines`. */
  readonly timelines?: string | undefined;
  /** Leads are compared with an export instead of with the service. */
  readonly leads?: Export | undefined;
  /** Compares everything, and repairs what differs. */
  readonly reconcile: boolean;
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
  options: SyncOptions,
): Promise<SyncResult> {
  const { organization, timelines, leads: exported, reconcile } = options;
  await createTables(database);
  await removeUnwantedMarks(database, options);
  if (organization !== undefined) await syncReferenceLists(client, database, organization);
  const readTimelines = reconcile ? compareTimelines : syncTimelines;
  const items =
    timelines === undefined ? undefined : await readTimelines(database, timelines, options);
  let leads: Counts | undefined;
  if (exported) leads = await compareWithExport(client, database, options, exported);
  else if (reconcile) leads = await compareWithService(client, database, options);
  const changed = await syncLeads(client, database, options); // also what changed while the leads were compared
  return {
    newItems: items?.new ?? 0,
    changedLeads: changed + (leads?.changed ?? 0),
    leads,
    items: reconcile ? items : undefined,
  };
}
