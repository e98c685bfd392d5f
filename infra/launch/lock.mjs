import {
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const lookMs = 200;
const beatMs = 2000;
/** Five missed beats: the owner has ended, and its pid may belong to another process by now. */
const staleMs = 10_000;

/**
 * Does the work while it holds a lock file; waits while another process holds it. Takes over a lock whose owner has ended or does not
 * refresh it.
 * @param {string} file
 * @param {() => Promise<void>} work
 */
export async function withLock(file, work) {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  while (!take(file)) {
    removeIfStale(file);
    if (!told) process.stderr.write('Waiting for another installation in this checkout ...\n');
    told = true;
    await pause(lookMs);
  }
  const beat = setInterval(() => utimesSync(file, new Date(), new Date()), beatMs);
  try {
    await work();
  } finally {
    clearInterval(beat);
    rmSync(file, { force: true });
  }
}

function take(file) {
  try {
    writeFileSync(file, `${process.pid}\n`, { flag: 'wx' });
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Two processes may find the same stale lock, and the second could remove the new lock of the first. So only the holder of a second,
 * short-lived lock may remove it, after another check.
 */
function removeIfStale(file) {
  if (!isStale(file)) return;
  const removal = `${file}.removal`;
  if (take(removal)) {
    if (isStale(file)) rmSync(file, { force: true });
    rmSync(removal, { force: true });
  } else if (ageMs(removal) > staleMs) {
    // The holder of the removal lock was killed: renaming it first makes sure that only one process removes it.
    const aside = `${removal}.${process.pid}`;
    try {
      renameSync(removal, aside);
      rmSync(aside, { force: true });
    } catch (error) {
      if (error.code !== 'ENOENT') throw error;
    }
  }
}

function isStale(file) {
  const age = ageMs(file);
  if (age === undefined) return false;
  if (age > staleMs) return true;
  const owner = ownerOf(file);
  return owner !== undefined && !isAlive(owner);
}

function ageMs(file) {
  try {
    return Date.now() - statSync(file).mtimeMs;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

/** Undefined while it is being written. */
function ownerOf(file) {
  try {
    const pid = Number.parseInt(readFileSync(file, 'utf8'), 10);
    return pid > 0 ? pid : undefined;
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
