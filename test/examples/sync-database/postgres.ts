import type { Row, SqlDatabase } from './sql-database.ts';

/** A connection as the packages `pg` (its `Client`, not its `Pool`) and `@electric-sql/pglite` have it. */
export interface PostgresConnection {
  query(sql: string, values?: unknown[]): Promise<{ readonly rows: readonly unknown[] }>;
}

/** @param close ends the connection: `() => client.end()` of `pg` */
export function postgresDatabase(
  connection: PostgresConnection,
  close: () => Promise<void>,
): SqlDatabase {
  return {
    query: async (sql, values = []) => {
      let count = 0;
      const numbered = sql.replaceAll('?', () => `$${++count}`);
      return (await connection.query(numbered, [...values])).rows as readonly Row[];
    },
    close,
  };
}
