import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { SqlDatabase } from './sql-database.ts';

/** A SQLite file, which is made if it is not there. @throws Error for a file that is not a database */
export function openSqlite(file: string): SqlDatabase {
  const database = new DatabaseSync(file);
  database.exec('PRAGMA journal_mode = WAL; PRAGMA busy_timeout = 10000');
  const statements = new Map<string, StatementSync>();
  return {
    query: async (sql, values = []) => {
      const statement = statements.get(sql) ?? database.prepare(sql);
      statements.set(sql, statement);
      return statement.all(...values);
    },
    sqlTypes: {},
    close: async () => database.close(),
  };
}
