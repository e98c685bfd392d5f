import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from './start-error.ts';

/** Where an engine keeps its data. */
export interface DataFolder {
  readonly path: string;
  /** Has the pid of the engine while it runs. */
  readonly pidFile: string;
  readonly release: () => void;
}

/**
 * Locks an engine's part of the data folder for this process, and ends an engine that a killed service left behind.
 * @throws StartError while another service uses the folder, or when it cannot be written
 */
export async function takeDataFolder(dataFolder: string, engine: string): Promise<DataFolder> {
  const path = join(dataFolder, engine);
  const ownerFile = join(path, 'service.pid');
  const pidFile = join(path, 'engine.pid');
  const lock = lockFolder(dataFolder, path, ownerFile);
  try {
    await endPreviousEngine(pidFile, path);
    writeFileSync(ownerFile, `${process.pid}\n`);
  } catch (error) {
    lock.close();
    throw error;
  }
  return { path, pidFile, release: () => lock.close() };
}

/**
 * The lock is a SQLite lock on a file of its own. The system releases it when this process ends, even by `kill -9`: it is never stale,
 * and two starts at the same time cannot both get it.
 */
function lockFolder(dataFolder: string, path: string, ownerFile: string): DatabaseSync {
  let lock: DatabaseSync | undefined;
  try {
    mkdirSync(path, { recursive: true });
    lock = new DatabaseSync(join(path, 'service.lock'));
    lock.exec('PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock?.close();
    const reason = error instanceof Error ? error.message : String(error);
    const owner = pidIn(ownerFile);
    const issue = /locked/.test(reason)
      ? `another service${owner ? ` (process ${owner})` : ''} is using this folder: stop it, or name another folder`
      : `the folder cannot be used (${reason}): name a folder that can be written`;
    throw new StartError(`--db ${dataFolder}: ${issue}.`, { cause: error });
  }
}

/** After a `kill -9` of the service, its engine may still run for a moment; if the guard was killed as well, for ever. */
async function endPreviousEngine(pidFile: string, path: string): Promise<void> {
  const pid = pidIn(pidFile);
  if (pid === undefined || !isEngine(pid, path)) return;
  process.kill(pid, 'SIGKILL'); // Nothing was written since the service was killed, and its last writes are on disk by now.
  for (let waited = 0; isEngine(pid, path); waited += 50) {
    if (waited > 5000) {
      throw new StartError(
        `A previous engine (process ${pid}) is still running: stop it, then start again.`,
      );
    }
    await pause(50);
  }
}

/** Whether the process runs with this data folder. The pid may belong to another process by now. */
function isEngine(pid: number, path: string): boolean {
  try {
    if (process.platform === 'linux')
      // A small image has no ps, and ps cuts the line where COLUMNS is set.
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(path);
    return execFileSync('ps', ['-ww', '-o', 'command=', '-p', String(pid)]).includes(path);
  } catch {
    return false; // there is no such process
  }
}

function pidIn(file: string): number | undefined {
  const pid = existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : 0;
  return pid > 0 ? pid : undefined;
}
