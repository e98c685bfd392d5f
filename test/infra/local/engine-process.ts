import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

/** The process of the engine that keeps its data in a folder. */
export const enginePid = (db: string): number =>
  Number(execFileSync('pgrep', ['-f', `(db-path|dbPath) ${db}/`], { encoding: 'utf8' }));

/** A zombie whose parent has not looked is gone too. */
export function isAlive(pid: number): boolean {
  const status = `/proc/${pid}/status`;
  return existsSync(status) && !/^State:\s+Z/m.test(readFileSync(status, 'utf8'));
}
