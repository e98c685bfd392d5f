import { open } from 'node:fs/promises';
import { isLeadServiceError, type LeadClient } from '../../../shared/client/client.ts'; // in your project: 'lead-service-client'
import {
  type Choice,
  type Counts,
  type LeadRow,
  noCounts,
  position,
  rowOf,
  storeLeads,
  sumOf,
} from './leads.ts';
import {
  batchSize,
  clearState,
  jsonText,
  readState,
  type SqlDatabase,
  type SqlValue,
  transaction,
  writeState,
} from './sql-database.ts';

const cursorState = 'reconcile cursor';
const isMarked = 'archived_at IS NOT NULL OR erased_at IS NOT NULL';

/**
 * Compares every lead of the service with its row, and repairs the rows. A lead that changes meanwhile is read again by
 * `syncLeads`. Killed, the next run goes on at the page it had come to.
 */
export async function compareWithService(
  client: LeadClient,
  database: SqlDatabase,
  choice: Choice,
): Promise<Counts> {
  let counts = noCounts;
  let read = 0;
  const stored = await readState(database, cursorState);
  let above = stored === undefined ? undefined : Number(stored);
  // The list is in descending order of IDs, and its cursor is the last ID that a page has looked at.
  for await (const { items, nextCursor } of client.leadPages({ cursor: above })) {
    const rows = await database.query(
      `SELECT id FROM leads WHERE id >= ? AND id < ? AND NOT (${isMarked})`,
      [nextCursor ?? 0, above ?? 2 ** 31 - 1],
    );
    const gone = await goneOf(client, rows, new Set(items.map(({ id }) => id)));
    await transaction(database, async () => {
      counts = sumOf(counts, await storeLeads(database, choice, items.map(rowOf), () => true));
      for (const leadId of gone) await removeOrMark(database, choice, leadId);
      if (nextCursor === null) await clearState(database, cursorState);
      else await writeState(database, cursorState, String(nextCursor));
    });
    counts = sumOf(counts, { ...noCounts, removed: gone.length });
    read += items.length;
    choice.progress?.(`${read} leads compared with the service`);
    above = nextCursor ?? undefined;
  }
  return counts;
}

/** A JSONL file of `lead export --archived`. */
export interface Export {
  readonly path: string;
  /** When the export began: ISO 8601, UTC. What changed later is read from the service. */
  readonly exportedAt: string;
}

/** A change is dated just before it is committed, and clocks may differ by so much. */
const overlapMs = 60_000;

/** Compares every lead of the file with its row. `syncLeads` then begins where the export began. */
export async function compareWithExport(
  client: LeadClient,
  database: SqlDatabase,
  choice: Choice,
  { path, exportedAt }: Export,
): Promise<Counts> {
  let counts = noCounts;
  const listed = new Set<number>();
  const unchangedBefore = new Date(Date.parse(exportedAt) - overlapMs).toISOString();
  for await (const rows of exportedRows(database, path)) {
    const kept = rows.filter((row) => choice.archived === 'mark' || row.archived_at === null);
    for (const { id } of kept) listed.add(id);
    await transaction(database, async () => {
      const isCompared = (stored: { updated_at?: unknown }) =>
        String(stored.updated_at) < unchangedBefore;
      counts = sumOf(counts, await storeLeads(database, choice, kept, isCompared));
    });
    choice.progress?.(`${listed.size} leads compared with ${path}`);
  }
  const unchanged = await database.query(
    `SELECT id FROM leads WHERE updated_at < ? AND NOT (${isMarked})`,
    [unchangedBefore],
  );
  const gone = await goneOf(client, unchanged, listed);
  await transaction(database, async () => {
    for (const leadId of gone) await removeOrMark(database, choice, leadId);
    await writeState(database, position, exportedAt);
  });
  return sumOf(counts, { ...noCounts, removed: gone.length });
}

/** A line of `lead export`. Its fields are all that are not empty: built-in and inactive ones too. */
interface ExportedLead {
  readonly leadId: number;
  readonly leadServiceExport: string;
  readonly pipelineId: number;
  readonly stageId: number;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt?: string;
  readonly fields: Readonly<Record<string, SqlValue>>;
}

async function* exportedRows(database: SqlDatabase, path: string): AsyncGenerator<LeadRow[]> {
  const inactive = await database.query('SELECT id FROM fields WHERE active = 0');
  const inactiveKeys = new Set(inactive.map(({ id }) => id));
  const file = await open(path).catch((cause) => {
    const advice = `run lead export --archived --out ${path} first.`;
    throw new Error(`${path} cannot be read: ${advice}`, { cause });
  });
  let rows: LeadRow[] = [];
  for await (const line of file.readLines()) {
    rows.push(exportedRow(parseLine(line, path), inactiveKeys));
    if (rows.length < batchSize) continue;
    yield rows;
    rows = [];
  }
  yield rows;
}

function parseLine(text: string, path: string): ExportedLead {
  try {
    const line = JSON.parse(text) as Partial<ExportedLead>;
    if (line.leadServiceExport && line.leadId && line.updatedAt && line.fields)
      return line as ExportedLead;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(
    `${path} is not a whole JSONL file of lead export: it has a line that is not a lead.`,
  );
}

function exportedRow(lead: ExportedLead, inactiveKeys: ReadonlySet<unknown>): LeadRow {
  const { name, phone, email, lead_type, source, assigned_to, ...others } = lead.fields;
  const active = Object.entries(others).filter(([key]) => !inactiveKeys.has(key));
  return {
    id: lead.leadId,
    name: name ?? null,
    phone: phone ?? null,
    email: email ?? null,
    lead_type: lead_type ?? null,
    stage_id: lead.stageId,
    pipeline_id: lead.pipelineId,
    source_id: source ?? null,
    assigned_to: assigned_to ?? null,
    fields: jsonText(Object.fromEntries(active)),
    created_at: lead.createdAt,
    updated_at: lead.updatedAt,
    archived_at: lead.archivedAt ?? null,
    erased_at: null,
  };
}

/** The IDs of rows that are not listed, and that the service no longer has when it is asked for each. */
async function goneOf(
  client: LeadClient,
  rows: readonly { readonly id?: unknown }[],
  listed: ReadonlySet<number>,
): Promise<number[]> {
  const gone: number[] = [];
  for (const id of rows.map((row) => Number(row.id)).filter((id) => !listed.has(id)))
    if (!(await isActive(client, id))) gone.push(id);
  return gone;
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
