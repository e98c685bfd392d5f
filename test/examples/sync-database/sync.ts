import type { LeadClient } from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import {
  type Choice,
  type Repairs,
  reconcileLeads,
  removeUnwantedMarks,
  syncLeads,
} from './leads.ts';
import { syncReferenceLists } from './reference-lists.ts';
import { createTables, type SqlDatabase } from './sql-database.ts';
import { reconcileTimelines, syncTimelines } from './timelines.ts';

export interface SyncOptions extends Choice {
  /** The output of `organization show --json`. */
  readonly organization?: string | undefined;
  /** A file of `lead timelines`. */
  readonly timelines?: string | undefined;
  /** Compares everything, and repairs what differs. */
  readonly reconcile: boolean;
}

export interface SyncResult {
  readonly changedLeads: number;
  readonly newItems: number;
  /** Of a reconciliation. */
  readonly leads?: Repairs;
  readonly items?: Repairs;
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
  const { organization, timelines, reconcile } = options;
  await createTables(database);
  await removeUnwantedMarks(database, options);
  if (organization !== undefined) await syncReferenceLists(database, organization);
  if (!reconcile) {
    const newItems =
      timelines === undefined ? 0 : await syncTimelines(database, timelines, options);
    return { newItems, changedLeads: await syncLeads(client, database) };
  }
  const items =
    timelines === undefined ? undefined : await reconcileTimelines(database, timelines, options);
  const leads = await reconcileLeads(client, database, options);
  const changedLeads = await syncLeads(client, database); // what changed while the leads were compared
  return { newItems: items?.missing ?? 0, changedLeads, leads, ...(items && { items }) };
}
