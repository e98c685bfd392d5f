import { PGlite } from '@electric-sql/pglite';
import type { LeadClient } from '../../shared/client/client.ts';
import { Random } from '../simulation/random.ts';
import { type PostgresConnection, postgresDatabase } from './sync-database/postgres.ts';
import type { SqlDatabase } from './sync-database/sql-database.ts';
import { type SyncOptions, sync } from './sync-database/sync.ts';

class ConnectionLostError extends Error {}

/** The sync job on PostgreSQL, whose connection is lost when the job is killed. */
export class PostgresJob {
  readonly database: SqlDatabase;
  /** Runs that were killed, and those of them that had committed something. */
  readonly counts = { killed: 0, midway: 0 };
  readonly #server = new PGlite();
  readonly #random: Random;

  constructor(seed: string) {
    this.#random = new Random(`postgres ${seed}`);
    this.database = postgresDatabase(this.#server, () => this.#server.close());
  }

  /** Kills the job at a random statement, before or after the server runs it; a run of fewer statements ends by itself. */
  async runAndKill(client: LeadClient, options: SyncOptions, statementsMax: number): Promise<void> {
    let commits = 0;
    let left = 1 + this.#random.below(statementsMax);
    const isRun = this.#random.fraction() < 0.5;
    const connection: PostgresConnection = {
      query: async (sql, values) => {
        left -= 1;
        if (left < 0 || (left === 0 && !isRun)) throw new ConnectionLostError();
        const reply = await this.#server.query(sql, values);
        if (sql === 'COMMIT') commits += 1;
        if (left === 0) throw new ConnectionLostError();
        return reply;
      },
    };
    try {
      await sync(
        client,
        postgresDatabase(connection, async () => undefined),
        options,
      );
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      this.counts.killed += 1;
      this.counts.midway += commits > 0 ? 1 : 0;
      // What the server does when it notices that the connection is gone.
      await this.#server.query('ROLLBACK');
    }
  }
}
