// Runs `npm ci` unless node_modules has what package-lock.json names. Each npm script of package.json runs this first, in a subshell: a
// shell may remember where it found `node`, and the script itself needs the Node 24 that was just installed as a package.
// Plain JavaScript, because any Node.js from 20 on may run it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** Not in node_modules, which npm ci empties. */
const lockFile = '.local/install.lock';
/** No installation takes as long. After a restart of the machine, the ID of a killed one may belong to another process. */
const staleMs = 15 * 60_000;

if (!isInstalled()) {
  mkdirSync('.local', { recursive: true });
  await withLock(lockFile, () => isInstalled() || install());
}

/** npm lists what it installed at the end, so an interrupted installation has no list. Packages of other platforms are optional. */
function isInstalled() {
  const installed = packagesIn('node_modules/.package-lock.json');
  if (!installed || !existsSync('node_modules/.bin/node')) return false;
  return Object.entries(packagesIn('package-lock.json') ?? {}).every(
    ([path, { version, optional }]) =>
      path === '' || (installed[path] ? installed[path].version === version : optional),
  );
}

function packagesIn(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8')).packages;
  } catch (error) {
    // npm is writing the file.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

async function install() {
  process.stderr.write(
    'Installing the packages of package-lock.json (npm ci), once for this checkout: it takes a minute or two ...\n',
  );
  const options = [
    '--include=dev',
    '--include=optional',
    '--ignore-scripts=false', // the package `node` fetches its binary in a script
    '--no-audit',
    '--no-fund',
    '--loglevel=error', // without warnings of packages that want a newer Node.js than the one that runs npm
  ];
  const reason = await once(
    spawn('npm', ['ci', ...options], { stdio: ['ignore', 2, 2] }),
    'exit',
  ).then(
    ([status]) => status !== 0 && `ended with status ${status}`,
    (error) => `cannot run (${error.message})`,
  );
  if (!reason) return;
  process.stderr.write(
    `npm ci ${reason}: the packages are not installed; see the output of npm above.\n`,
  );
  process.exitCode = 1;
}

/**
 * Does the work while the lock names this process. Waits while it names another one that runs; takes it over from one that has ended, and
 * from any after a quarter of an hour.
 */
async function withLock(lock, work) {
  for (let told = false; !take(lock); ) {
    const owner = ownerOf(lock);
    if (isStale(lock, owner)) {
      // Under a lock of its own: otherwise a second process could remove the lock that the first one has just taken over.
      await withLock(`${lock}.${owner}`, () => {
        if (isStale(lock, owner)) rmSync(lock);
      });
      continue;
    }
    if (!told)
      process.stderr.write(
        `Waiting for the installation of process ${owner} in this checkout ... If no such installation runs, delete ${lock}.\n`,
      );
    told = true;
    await pause(200);
  }
  try {
    await work();
  } finally {
    if (ownerOf(lock) === process.pid) rmSync(lock);
  }
}

/** A link to the process's ID: unlike a file, it is never there without its content. */
function take(lock) {
  try {
    symlinkSync(String(process.pid), lock);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function ownerOf(lock) {
  try {
    return Number(readlinkSync(lock));
  } catch (error) {
    if (error.code === 'ENOENT') return undefined; // released
    throw error;
  }
}

/** Whether the lock names an owner that has ended. */
function isStale(lock, owner) {
  const { mtimeMs } = lstatSync(lock, { throwIfNoEntry: false }) ?? {};
  if (mtimeMs === undefined || ownerOf(lock) !== owner) return false;
  return !isAlive(owner) || Date.now() - mtimeMs > staleMs;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}
