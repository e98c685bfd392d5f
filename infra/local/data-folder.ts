import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from './start-error.ts';

/** One engine's own part of the data folder. */
export interface DataFolder {
  readonly path: string;
  /** Has the pid of the engine while it runs. */
  readonly pidFile: string;
  release(): void;
}

/**
 * Locks an engine's part of the data folder for this process, and ends an engine that a killed service left behind.
 *
 * The lock is a SQLite lock on a file of its own. The system releases it when this process ends, even by `kill -9`: it is never stale,
 * and two starts at the same time cannot both get it.
 * @throws StartError while another service uses the folder, or when it cannot be written
 */
export async function takeDataFolder(dataFolder: string, engine: string): Promise<DataFolder> {
  const path = join(dataFolder, engine);
  const ownerFile = join(path, 'service.pid');
  const pidFile = join(path, 'engine.pid');
  const lock = openLock(dataFolder, path);
  try {
    lock.exec('PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    throw lockError(dataFolder, ownerFile, error);
  }
  try {
    await endPreviousEngine(pidFile, path);
    writeFileSync(ownerFile, `${process.pid}\n`);
  } catch (error) {
    lock.close();
    throw error;
  }
  return { path, pidFile, release: () => lock.close() };
}

function openLock(dataFolder: string, path: string): DatabaseSync {
  try {
    mkdirSync(path, { recursive: true });
    return new DatabaseSync(join(path, 'service.lock'));
  } catch (error) {
    throw new StartError(
      `--db ${dataFolder}: the folder cannot be used (${messageOf(error)}): name a folder that can be written.`,
      {
        cause: error,
      },
    );
  }
}

function lockError(dataFolder: string, ownerFile: string, cause: unknown): StartError {
  if (!/locked/.test(messageOf(cause))) {
    return new StartError(
      `--db ${dataFolder}: the lock file cannot be used (${messageOf(cause)}): name a folder that can be written.`,
      { cause },
    );
  }
  const owner = readPid(ownerFile);
  return new StartError(
    `--db ${dataFolder}: another service${owner ? ` (process ${owner})` : ''} is using this folder: stop it, or name another folder.`,
    { cause },
  );
}

/** After a `kill -9` of the service, its engine may still run for a moment; if the guard was killed as well, for ever. */
async function endPreviousEngine(pidFile: string, path: string): Promise<void> {
  const pid = readPid(pidFile);
  const isOurs = (): boolean => pid !== undefined && (commandLineOf(pid)?.includes(path) ?? false);
  if (pid === undefined || !isOurs()) return;
  process.kill(pid, 'SIGKILL'); // Nothing was written since the service was killed, and its last writes are on disk by now.
  for (let waited = 0; isOurs(); waited += 50) {
    if (waited > 5000) {
      throw new StartError(
        `A previous engine (process ${pid}) is still running: stop it, then start again.`,
      );
    }
    await pause(50);
  }
}

function readPid(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return pid > 0 ? pid : undefined;
}

/** The command line of a process; undefined if it does not run. The pid may belong to another process by now. */
function commandLineOf(pid: number): string | undefined {
  try {
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
