import { isLeadServiceError, type Lead, type LeadClient } from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import {
  clearState,
  jsonText,
  type Row,
  readState,
  type SqlDatabase,
  type SqlValue,
  transaction,
  upsert,
  writeState,
} from './sql-database.ts';

/** What becomes of the rows of archived leads and of erased ones. */
export interface Choice {
  readonly archived: 'remove' | 'mark';
  readonly erased: 'remove' | 'mark';
}

export interface Repairs {
  missing: number;
  different: number;
  surplus: number;
}

const position = 'position';
const reconcileCursor = 'reconcile cursor';

/**
 * Stores the leads that have changed since the last run. Each page and its position are one transaction. A walk that a killed run began
 * is completed, and another one then reads what changed since it began.
 */
export async function syncLeads(client: LeadClient, database: SqlDatabase): Promise<number> {
  const before = await readState(database, position);
  // A position is a date-time at the end of a walk, and longer in the middle of one.
  const isResumed = before !== undefined && before.length > new Date(0).toISOString().length;
  const changed = await walkChanges(client, database, before);
  if (!isResumed) return changed;
  return changed + (await walkChanges(client, database, await readState(database, position)));
}

async function walkChanges(
  client: LeadClient,
  database: SqlDatabase,
  since: string | undefined,
): Promise<number> {
  let changed = 0;
  for await (const page of client.changedLeads(since))
    await transaction(database, async () => {
      for (const lead of page.leads) changed += (await storeChanged(database, lead)) ? 1 : 0;
      await writeState(database, position, page.position);
    });
  return changed;
}

/** An update index that lags can still list a lead that was archived or erased: what happened last counts. */
async function storeChanged(database: SqlDatabase, lead: Lead): Promise<boolean> {
  const { id, updatedAt } = lead;
  const later = await database.query(
    `SELECT id FROM timeline_items WHERE lead_id = ? AND type = 'archived' AND stored_at > ?
     UNION ALL SELECT id FROM erasures WHERE lead_id = ? AND at > ?`,
    [id, updatedAt, id, updatedAt],
  );
  if (later.length > 0) return false;
  return upsert(database, 'leads', rowOf(lead), 'leads.updated_at < excluded.updated_at');
}

/** Names of stages, sources and users are in their own lists, because a renamed stage does not change its leads. */
const rowOf = (lead: Lead) => ({
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
  const [sql, values]: [string, SqlValue[]] =
    archived === 'remove'
      ? ['DELETE FROM leads WHERE id = ? AND updated_at <= ?', [leadId, at]]
      : [
          'UPDATE leads SET archived_at = ?, updated_at = ? WHERE id = ? AND updated_at <= ?',
          [at, at, leadId, at],
        ];
  await database.query(sql, values);
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

/**
 * Compares every lead of the service with its row, and repairs the rows. A lead that changes meanwhile is read again by
 * `syncLeads`. Killed, the next run goes on at the page it had come to.
 */
export async function reconcileLeads(
  client: LeadClient,
  database: SqlDatabase,
  choice: Choice,
): Promise<Repairs> {
  const repairs: Repairs = { missing: 0, different: 0, surplus: 0 };
  const stored = await readState(database, reconcileCursor);
  let above = stored === undefined ? undefined : Number(stored);
  // The list is in descending order of IDs, and its cursor is the last ID that a page has looked at.
  for await (const { items, nextCursor } of client.leadPages({ cursor: above })) {
    const range = { from: nextCursor ?? 0, below: above ?? 2 ** 31 - 1 };
    const surplus = await surplusOf(client, database, items, range);
    await transaction(database, async () => {
      for (const lead of items) await repairLead(database, lead, repairs);
      for (const leadId of surplus) await removeOrMark(database, choice, leadId);
      repairs.surplus += surplus.length;
      if (nextCursor === null) await clearState(database, reconcileCursor);
      else await writeState(database, reconcileCursor, String(nextCursor));
    });
    above = nextCursor ?? undefined;
  }
  return repairs;
}

/** Its last change stays as it was, so that a lead that comes back is stored again. */
async function removeOrMark(
  database: SqlDatabase,
  { archived }: Choice,
  leadId: number,
): Promise<void> {
  if (archived === 'remove') await database.query('DELETE FROM leads WHERE id = ?', [leadId]);
  else
    await database.query('UPDATE leads SET archived_at = ? WHERE id = ?', [
      new Date().toISOString(),
      leadId,
    ]);
}

async function repairLead(database: SqlDatabase, lead: Lead, repairs: Repairs): Promise<void> {
  const row = rowOf(lead);
  const [stored] = await database.query('SELECT * FROM leads WHERE id = ?', [lead.id]);
  if (stored && isSame(stored, row)) return;
  repairs[stored ? 'different' : 'missing'] += 1;
  await upsert(database, 'leads', row);
}

/** Whether the stored row has these values. */
export const isSame = (stored: Row, row: Row): boolean =>
  Object.entries(row).every(([column, value]) => stored[column] === value);

/** Rows of a page's range that are not in the page, and that the service no longer has when it is asked for each. */
async function surplusOf(
  client: LeadClient,
  database: SqlDatabase,
  items: readonly Lead[],
  { from, below }: { from: number; below: number },
): Promise<number[]> {
  const listed = new Set(items.map(({ id }) => id));
  const rows = await database.query(
    'SELECT id FROM leads WHERE id >= ? AND id < ? AND archived_at IS NULL AND erased_at IS NULL',
    [from, below],
  );
  const surplus: number[] = [];
  for (const id of rows.map((row) => Number(row.id)).filter((id) => !listed.has(id)))
    if (!(await isActive(client, id))) surplus.push(id);
  return surplus;
}

async function isActive(client: LeadClient, leadId: number): Promise<boolean> {
  try {
    await client.getLead(leadId);
    return true;
  } catch (error) {
    if (isLeadServiceError(error, 'NOT_FOUND')) return false;
    throw error;
  }
}
