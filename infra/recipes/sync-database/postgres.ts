import { jsonText, type Row, type SqlDatabase } from './sql-database.ts';

/** A connection as the packages `pg` (its `Client`, not its `Pool`) and `@electric-sql/pglite` have it. */
export interface PostgresConnection {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

interface PostgresClient extends PostgresConnection {
  connect(): Promise<void>;
  end(): Promise<void>;
  on(event: 'error', listener: () => void): void;
}
interface PostgresPackage {
  readonly default: {
    readonly Client: new (options: { connectionString: string }) => PostgresClient;
  };
}

/** @param url `postgres://USER:PASSWORD@HOST/DATABASE` */
export async function openPostgres(url: string): Promise<SqlDatabase> {
  const { default: pg } = await importPackage();
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the next query throws
  await client.connect();
  return postgresDatabase(client, () => client.end());
}

/** In your project: `import pg from 'pg'`. */
async function importPackage(): Promise<PostgresPackage> {
  try {
    return (await import('pg' as string)) as PostgresPackage;
  } catch (cause) {
    throw new Error('PostgreSQL needs the package pg: run npm install pg', { cause });
  }
}

/** @param close ends the connection */
export function postgresDatabase(
  connection: PostgresConnection,
  close: () => Promise<void>,
): SqlDatabase {
  return {
    query: async (sql, values = []) => {
      let count = 0;
      const numbered = sql.replaceAll('?', () => `$${++count}`);
      const { rows } = await connection.query(numbered, [...values]);
      return rows.map((row) =>
        Object.fromEntries(Object.entries(row as Row).map(([name, value]) => [name, plain(value)])),
      );
    },
    sqlTypes: { number: 'NUMERIC', date: 'DATE', checkbox: 'BOOLEAN' },
    close,
  };
}

/** Times and JSON as texts. */
function plain(value: unknown): unknown {
  if (value instanceof Date) return value.toISOString();
  return typeof value === 'object' && value !== null ? jsonText(value) : value;
}
