import type { Lead, LeadClient } from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import {
  isSame,
  jsonText,
  type NewRow,
  placesOf,
  type Row,
  readState,
  rowsById,
  type SqlDatabase,
  transaction,
  upsert,
  writeState,
} from './sql-database.ts';

/** What becomes of the rows of archived leads and of erased ones, and who hears how far the job is. */
export interface Choice {
  readonly archived: 'remove' | 'mark';
  readonly erased: 'remove' | 'mark';
  readonly progress?: (text: string) => void;
}

/** What became of rows: those that the database lacked, that changed in the service, that differed without a change, and that the service lacks. */
export interface Counts {
  readonly new: number;
  readonly changed: number;
  readonly repaired: number;
  readonly removed: number;
}

export const noCounts: Counts = { new: 0, changed: 0, repaired: 0, removed: 0 };
export const sumOf = (a: Counts, b: Counts): Counts => ({
  new: a.new + b.new,
  changed: a.changed + b.changed,
  repaired: a.repaired + b.repaired,
  removed: a.removed + b.removed,
});

export interface LeadRow extends NewRow {
  readonly id: number;
  readonly updated_at: string;
}

/** A date-time at the end of a walk, and longer in the middle of one. */
export const position = 'position';

/**
 * Stores the leads that have changed since the last run. Each page and its position are one transaction. A walk that a killed run began
 * is completed, and another one then reads what changed since it began.
 */
export async function syncLeads(
  client: LeadClient,
  database: SqlDatabase,
  choice: Choice,
): Promise<number> {
  const before = await readState(database, position);
  const isResumed = before !== undefined && before.length > new Date(0).toISOString().length;
  const changed = await walkChanges(client, database, choice, before);
  if (!isResumed) return changed;
  return (
    changed + (await walkChanges(client, database, choice, await readState(database, position)))
  );
}

async function walkChanges(
  client: LeadClient,
  database: SqlDatabase,
  choice: Choice,
  since: string | undefined,
): Promise<number> {
  let [changed, read] = [0, 0];
  for await (const page of client.changedLeads(since)) {
    await transaction(database, async () => {
      const counts = await storeLeads(database, choice, page.leads.map(rowOf));
      changed += counts.new + counts.changed;
      await writeState(database, position, page.position);
    });
    read += page.leads.length;
    choice.progress?.(`${read} leads read from the service`);
  }
  return changed;
}

/**
 * Stores rows that the database lacks, or has as they were before their last change.
 * @param isCompared whether a stored row that differs without a change is replaced
 */
export async function storeLeads(
  database: SqlDatabase,
  choice: Choice,
  rows: readonly LeadRow[],
  isCompared: (stored: Row) => boolean = () => false,
): Promise<Counts> {
  if (rows.length === 0) return noCounts;
  const ids = rows.map(({ id }) => id);
  const [stored, endings] = [
    await rowsById(database, 'leads', ids),
    await endingsOf(database, ids),
  ];
  const counts = { ...noCounts };
  const written: LeadRow[] = [];
  for (const listed of rows) {
    const row = afterEnding(listed, endings.get(listed.id), choice);
    const change = row && changeOf(stored.get(row.id), row, isCompared);
    if (!change) continue;
    counts[change] += 1;
    written.push(row);
  }
  await upsert(database, 'leads', written);
  return counts;
}

/** The last time each lead was archived or erased, from the timelines. */
async function endingsOf(
  database: SqlDatabase,
  ids: readonly number[],
): Promise<ReadonlyMap<unknown, Row>> {
  const places = placesOf(ids);
  const endings = await database.query(
    `SELECT lead_id, at, 'erased' AS type FROM erasures WHERE lead_id IN (${places})
     UNION ALL SELECT lead_id, stored_at, type FROM timeline_items WHERE type = 'archived' AND lead_id IN (${places}) ORDER BY at`,
    [...ids, ...ids],
  );
  return new Map(endings.map((ending) => [ending.lead_id, ending]));
}

/** An index that lags, and an export, can still list a lead that was archived or erased since: what happened last counts. */
function afterEnding(
  row: LeadRow,
  ending: Row | undefined,
  { archived }: Choice,
): LeadRow | undefined {
  const at = String(ending?.at);
  if (!ending || at <= row.updated_at) return row;
  if (ending.type === 'erased' || archived === 'remove') return undefined;
  return { ...row, archived_at: at, updated_at: at };
}

function changeOf(
  stored: Row | undefined,
  row: LeadRow,
  isCompared: (stored: Row) => boolean,
): 'new' | 'changed' | 'repaired' | undefined {
  if (!stored) return 'new';
  if (String(stored.updated_at) < row.updated_at) return 'changed';
  return isCompared(stored) && !isSame(stored, row) ? 'repaired' : undefined;
}

/** Names of stages, sources and users are in their own lists, because a renamed stage does not change its leads. */
export const rowOf = (lead: Lead): LeadRow => ({
  id: lead.id,
  name: lead.name,
  phone: lead.phone,
  email: lead.email,
  lead_type: lead.leadType,
  stage_id: lead.stageId,
  pipeline_id: lead.pipelineId,
  source_id: lead.sourceId,
  assigned_to: lead.assignedTo,
  fields: jsonText(lead.fields),
  created_at: lead.createdAt,
  updated_at: lead.updatedAt,
  archived_at: null,
  erased_at: null,
});

/** @param at when it was archived, which is also its last change */
export async function archiveLead(
  database: SqlDatabase,
  { archived }: Choice,
  { leadId, at }: { leadId: number; at: string },
): Promise<void> {
  if (archived === 'remove')
    await database.query('DELETE FROM leads WHERE id = ? AND updated_at <= ?', [leadId, at]);
  else
    await database.query(
      'UPDATE leads SET archived_at = ?, updated_at = ? WHERE id = ? AND updated_at <= ?',
      [at, at, leadId, at],
    );
}

/** Nothing of the person stays. A mark has the ID and the time. */
export async function eraseLead(
  database: SqlDatabase,
  { erased }: Choice,
  { leadId, at }: { leadId: number; at: string },
): Promise<void> {
  await database.query('DELETE FROM timeline_items WHERE lead_id = ? AND stored_at <= ?', [
    leadId,
    at,
  ]);
  await database.query('DELETE FROM leads WHERE id = ? AND updated_at <= ?', [leadId, at]);
  if (erased === 'mark')
    await database.query(
      'INSERT INTO leads (id, updated_at, erased_at) VALUES (?, ?, ?) ON CONFLICT (id) DO NOTHING',
      [leadId, at, at],
    );
}

/** Removes marks of an earlier run that chose to keep them. */
export async function removeUnwantedMarks(database: SqlDatabase, choice: Choice): Promise<void> {
  for (const kind of ['archived', 'erased'] as const)
    if (choice[kind] === 'remove')
      await database.query(`DELETE FROM leads WHERE ${kind}_at IS NOT NULL`);
}
