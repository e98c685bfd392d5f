import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { StartError } from './start-error.ts';

/** One engine's own part of the data folder: the engines' files do not mix. */
export interface DataFolder {
  readonly path: string;
  /** Where the engine's pid stands while it runs. */
  readonly pidFile: string;
  release(): void;
}

/**
 * Takes the engine's part of the data folder for this process alone, and ends an engine that a killed service left behind.
 *
 * The lock is a lock of SQLite on a file of its own: the system lets go of it when this process ends, however it ends, so
 * none is ever stale, and two starts at the same moment cannot both have it.
 * @throws StartProblem while another service uses the folder, or when it cannot be written.
 */
export async function takeDataFolder(dataFolder: string, engine: string): Promise<DataFolder> {
  const path = join(dataFolder, engine);
  const ownerFile = join(path, 'service.pid');
  const pidFile = join(path, 'engine.pid');
  let lock: DatabaseSync;
  try {
    mkdirSync(path, { recursive: true });
    lock = new DatabaseSync(join(path, 'service.lock'));
  } catch (error) {
    throw new StartError(`--db ${dataFolder}: the folder cannot be used (${messageOf(error)}): name one that can be written.`);
  }
  try {
    lock.exec('PRAGMA busy_timeout = 500; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE');
  } catch (error) {
    lock.close();
    if (!/locked/.test(messageOf(error))) {
      throw new StartError(
        `--db ${dataFolder}: its lock file cannot be used (${messageOf(error)}): name a folder that can be written.`,
      );
    }
    const owner = readPid(ownerFile);
    throw new StartError(
      `--db ${dataFolder}: another service${owner ? ` (process ${owner})` : ''} is using this folder: stop it, or give this one a --db of its own.`,
    );
  }
  try {
    await endLeftEngine(pidFile, path);
    writeFileSync(ownerFile, `${process.pid}\n`);
  } catch (error) {
    lock.close();
    throw error;
  }
  return { path, pidFile, release: () => lock.close() };
}

/** After a `kill -9` of the service its engine may live on for a moment, and after one of the guard too, for ever. */
async function endLeftEngine(pidFile: string, path: string): Promise<void> {
  const pid = readPid(pidFile);
  const isOurs = (): boolean => pid !== undefined && (commandLineOf(pid)?.includes(path) ?? false);
  if (pid === undefined || !isOurs()) return;
  process.kill(pid, 'SIGKILL'); // Nobody has written since the service was killed, and what it wrote just before is on the disk by now.
  for (let waited = 0; isOurs(); waited += 50) {
    if (waited > 5000)
      throw new StartError(`The engine of a service before (process ${pid}) does not end: end it, then start again.`);
    await pause(50);
  }
}

function readPid(file: string): number | undefined {
  if (!existsSync(file)) return undefined;
  const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
  return pid > 0 ? pid : undefined;
}

/** A running process's command line; undefined when there is no such process. A pid alone may belong to another by now. */
function commandLineOf(pid: number): string | undefined {
  try {
    if (process.platform === 'linux') return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
    return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return undefined;
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
