/** What the job needs of a database. SQLite and PostgreSQL understand the same statements, apart from how they write parameters. */
export interface SqlDatabase {
  /** Runs one statement. Its parameters are `?`. @returns the rows of a SELECT or of RETURNING; times in ISO 8601, JSON as `jsonText` writes it */
  query(sql: string, values?: readonly SqlValue[]): Promise<readonly Row[]>;
  /** The SQL types of fields whose values `->>` returns as texts, by the type of the field. */
  readonly sqlTypes: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

export type SqlValue = string | number | null;
export type Row = Readonly<Record<string, unknown>>;
export type NewRow = Readonly<Record<string, SqlValue>>;

/** Rows or lines in one statement: few round trips, and fewer parameters than SQLite allows. */
export const batchSize = 500;

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

/** Inserts the rows, or replaces those with their IDs. All have the same columns, and no two the same ID. */
export async function upsert(
  database: SqlDatabase,
  table: string,
  rows: readonly NewRow[],
): Promise<void> {
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  await database.query(
    `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rows.map(() => `(${placesOf(columns)})`).join(', ')}
     ON CONFLICT (id) DO UPDATE SET ${columns.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    rows.flatMap((row) => columns.map((name) => row[name] ?? null)),
  );
}

/** A parameter for each value: `id IN (${placesOf(ids)})`. */
export const placesOf = (values: readonly unknown[]): string => values.map(() => '?').join(', ');

export async function rowsById(
  database: SqlDatabase,
  table: string,
  ids: readonly SqlValue[],
): Promise<ReadonlyMap<unknown, Row>> {
  if (ids.length === 0) return new Map();
  const rows = await database.query(`SELECT * FROM ${table} WHERE id IN (${placesOf(ids)})`, ids);
  return new Map(rows.map((row) => [row.id, row]));
}

/** Whether the stored row has these values. */
export const isSame = (stored: Row, row: NewRow): boolean =>
  Object.entries(row).every(([column, value]) => stored[column] === value);

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
  await upsert(database, 'sync_state', [{ id, value }]);
}

export async function clearState(database: SqlDatabase, id: string): Promise<void> {
  await database.query('DELETE FROM sync_state WHERE id = ?', [id]);
}

/**
 * SQLite stores TIMESTAMPTZ and JSONB as text: times are UTC in ISO 8601, which sort as text. No foreign keys: a lead can come before the
 * list that names its new stage.
 */
const tables = [
  `leads (id INTEGER PRIMARY KEY, name TEXT, phone TEXT, email TEXT, lead_type TEXT, stage_id INTEGER, pipeline_id INTEGER,
     source_id INTEGER, assigned_to INTEGER, fields JSONB, created_at TIMESTAMPTZ, updated_at TIMESTAMPTZ NOT NULL,
     archived_at TIMESTAMPTZ, erased_at TIMESTAMPTZ)`,
  `timeline_items (id TEXT PRIMARY KEY, lead_id INTEGER NOT NULL, type TEXT NOT NULL, at TIMESTAMPTZ NOT NULL,
     stored_at TIMESTAMPTZ NOT NULL, actor_user_id INTEGER, item JSONB NOT NULL, read_by TEXT NOT NULL)`,
  'erasures (id TEXT PRIMARY KEY, lead_id INTEGER NOT NULL, at TIMESTAMPTZ NOT NULL)',
  'users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, active INTEGER NOT NULL)',
  'sources (id INTEGER PRIMARY KEY, name TEXT NOT NULL, active INTEGER NOT NULL)',
  'pipelines (id INTEGER PRIMARY KEY, name TEXT NOT NULL)',
  `stages (id INTEGER PRIMARY KEY, pipeline_id INTEGER NOT NULL, name TEXT NOT NULL, meaning TEXT NOT NULL, active INTEGER NOT NULL)`,
  `fields (id TEXT PRIMARY KEY, label TEXT NOT NULL, type TEXT NOT NULL, options JSONB NOT NULL, active INTEGER NOT NULL)`,
  'sync_state (id TEXT PRIMARY KEY, value TEXT NOT NULL)',
];

export async function createTables(database: SqlDatabase): Promise<void> {
  for (const table of tables) await database.query(`CREATE TABLE IF NOT EXISTS ${table}`);
  await database.query(
    'CREATE INDEX IF NOT EXISTS timeline_items_of_lead ON timeline_items (lead_id, stored_at)',
  );
  await database.query('CREATE INDEX IF NOT EXISTS erasures_of_lead ON erasures (lead_id, at)');
}
