/** What the job needs of a database. SQLite and PostgreSQL understand the same statements, apart from how they write parameters. */
export interface SqlDatabase {
  /** Runs one statement. Its parameters are `?`. @returns the rows of a SELECT or of RETURNING */
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  close(): Promise<void>;
}

export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;

/** Runs the work in one transaction: a job that is killed in it has written nothing. */
export async function transaction(database: SqlDatabase, work: () => Promise<void>): Promise<void> {
  await database.query('BEGIN');
  try {
    await work();
    await database.query('COMMIT');
  } catch (error) {
    await database.query('ROLLBACK').catch(() => undefined); // the first error is the cause
    throw error;
  }
}

/** Inserts the row, or replaces the one with its ID if `condition` holds. @returns whether a row was written */
export async function upsert(
  database: SqlDatabase,
  table: string,
  row: Readonly<Record<string, SqlValue>>,
  condition?: string,
): Promise<boolean> {
  const columns = Object.keys(row);
  const rows = await database.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})
     ON CONFLICT (id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}
     ${condition === undefined ? '' : `WHERE ${condition}`} RETURNING id`,
    Object.values(row),
  );
  return rows.length > 0;
}

/** JSON with its properties in one order, so that equal values are equal texts. */
export const jsonText = (value: unknown): string =>
  JSON.stringify(value, (_, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );

/** What the job remembers between its runs. */
export async function readState(database: SqlDatabase, id: string): Promise<string | undefined> {
  const [row] = await database.query('SELECT value FROM sync_state WHERE id = ?', [id]);
  return row && String(row.value);
}

export async function writeState(database: SqlDatabase, id: string, value: string): Promise<void> {
  await upsert(database, 'sync_state', { id, value });
}

export async function clearState(database: SqlDatabase, id: string): Promise<void> {
  await database.query('DELETE FROM sync_state WHERE id = ?', [id]);
}

/**
 * Times are UTC in ISO 8601, which sort as text. `fields` and `item` are JSON. No foreign keys: a lead can come before the list that
 * names its new stage.
 */
const tables = [
  `leads (id INTEGER PRIMARY KEY, name TEXT, phone TEXT, email TEXT, lead_type TEXT, stage_id INTEGER, pipeline_id INTEGER,
     source_id INTEGER, assigned_to INTEGER, fields TEXT, created_at TEXT, updated_at TEXT NOT NULL, archived_at TEXT, erased_at TEXT)`,
  `timeline_items (id TEXT PRIMARY KEY, lead_id INTEGER NOT NULL, type TEXT NOT NULL, at TEXT NOT NULL, stored_at TEXT NOT NULL,
     actor_user_id INTEGER, item TEXT NOT NULL, read_by TEXT NOT NULL)`,
  'erasures (id TEXT PRIMARY KEY, lead_id INTEGER NOT NULL, at TEXT NOT NULL)',
  'users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, active INTEGER NOT NULL)',
  'sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL, active INTEGER NOT NULL)',
  'pipelines (id INTEGER PRIMARY KEY, name TEXT NOT NULL)',
  `stages (id INTEGER PRIMARY KEY, pipeline_id INTEGER NOT NULL, name TEXT NOT NULL, meaning TEXT NOT NULL, active INTEGER NOT NULL)`,
  `fields (id TEXT PRIMARY KEY, label TEXT NOT NULL, type TEXT NOT NULL, options TEXT NOT NULL, active INTEGER NOT NULL)`,
  'sync_state (id TEXT PRIMARY KEY, value TEXT NOT NULL)',
];

export async function createTables(database: SqlDatabase): Promise<void> {
  for (const table of tables) await database.query(`CREATE TABLE IF NOT EXISTS ${table}`);
  await database.query(
    'CREATE INDEX IF NOT EXISTS timeline_items_of_lead ON timeline_items (lead_id, stored_at)',
  );
  await database.query('CREATE INDEX IF NOT EXISTS erasures_of_lead ON erasures (lead_id, at)');
}
