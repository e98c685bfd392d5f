import type { LeadClient } from '../../shared/client/client.ts';
import { Random } from '../simulation/random.ts';
import type { SqlDatabase } from './sync-database/sql-database.ts';
import { type SyncOptions, sync } from './sync-database/sync.ts';

class ConnectionLostError extends Error {}

/** A database whose sync job is killed: the connection is lost, and what it had not committed is gone. */
export class KilledJobs {
  readonly database: SqlDatabase;
  /** Runs that were killed, and those of them that had committed something. */
  readonly counts = { killed: 0, midway: 0 };
  readonly #random: Random;

  constructor(database: SqlDatabase, seed: string) {
    this.database = database;
    this.#random = new Random(seed);
  }

  /** Kills the job at a random statement, before or after the database runs it; a run of fewer statements ends by itself. */
  async runAndKill(client: LeadClient, options: SyncOptions, statementsMax: number): Promise<void> {
    let commits = 0;
    let left = 1 + this.#random.below(statementsMax);
    const isRun = this.#random.fraction() < 0.5;
    const query: SqlDatabase['query'] = async (sql, values) => {
      left -= 1;
      if (left < 0 || (left === 0 && !isRun)) throw new ConnectionLostError();
      const rows = await this.database.query(sql, values);
      if (sql === 'COMMIT') commits += 1;
      if (left === 0) throw new ConnectionLostError();
      return rows;
    };
    try {
      await sync(client, { ...this.database, query }, options);
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) throw error;
      this.counts.killed += 1;
      this.counts.midway += commits > 0 ? 1 : 0;
      // What the database does when it notices that the connection is gone. Outside a transaction, SQLite refuses it.
      await this.database.query('ROLLBACK').catch(() => undefined);
    }
  }
}
