// Runs `npm ci` unless node_modules has what package-lock.json names. Each npm script of package.json runs this first, in a subshell: a
// shell may remember where it found `node`, and the script itself needs the Node 24 that was just installed as a package.
// Plain JavaScript, because any Node.js from 20 on may run it.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

/** A folder with one file, named by the ID of the process that installs. Not in node_modules, which npm ci empties. */
const lock = '.local/install.lock';
const own = `${lock}.${process.pid}`;
/** No installation takes as long. After a restart of the machine, the ID of a killed one may belong to another process. */
const staleMs = 15 * 60_000;

for (let told; !isInstalled(); await pause(200)) {
  if (tryLock()) {
    if (!isInstalled()) install();
    fs.rmSync(`${lock}/${process.pid}`, { force: true });
    break;
  }
  const [owner] = fs.readdirSync(lock);
  if (!owner || removeIfStale(owner) || owner === told) continue;
  told = owner;
  process.stderr.write(
    `Waiting for the installation of process ${owner} in this checkout ... If no such installation runs, delete ${lock}.\n`,
  );
}
fs.rmSync(own, { recursive: true, force: true });

/** npm lists what it installed at the end, so an interrupted installation has no list. Packages of other platforms are optional. */
function isInstalled() {
  const installed = packagesIn('node_modules/.package-lock.json');
  if (!installed || !fs.existsSync('node_modules/.bin/node')) return false;
  return Object.entries(packagesIn('package-lock.json') ?? {}).every(
    ([path, { version, optional }]) =>
      path === '' || (installed[path] ? installed[path].version === version : optional),
  );
}

function packagesIn(file) {
  try {
    return JSON.parse(fs.readFileSync(file, 'utf8')).packages;
  } catch (error) {
    // npm is writing the file.
    if (error.code === 'ENOENT' || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** @returns whether this process has the lock. A folder can only be renamed onto one that is missing or empty, so the lock has one owner at a time. */
function tryLock() {
  fs.mkdirSync(own, { recursive: true });
  fs.writeFileSync(`${own}/${process.pid}`, '');
  try {
    fs.renameSync(own, lock);
    return true;
  } catch (error) {
    if (error.code === 'ENOTEMPTY' || error.code === 'EEXIST') return false;
    throw error;
  }
}

/**
 * Removes the file of an owner that has ended, and of any owner after a quarter of an hour. The file is named after its owner, so this never
 * removes that of the next one.
 */
function removeIfStale(owner) {
  const file = `${lock}/${owner}`;
  const { mtimeMs = 0 } = fs.statSync(file, { throwIfNoEntry: false }) ?? {};
  const isOwned = isAlive(Number(owner)) && Date.now() - mtimeMs < staleMs;
  if (!isOwned) fs.rmSync(file, { force: true });
  return !isOwned;
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === 'EPERM';
  }
}

function install() {
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
  const { status, error } = spawnSync('npm', ['ci', ...options], { stdio: ['ignore', 2, 2] });
  if (status === 0) return;
  const reason = error ? `cannot run (${error.message})` : `ended with status ${status}`;
  process.stderr.write(
    `npm ci ${reason}: the packages are not installed; see the output of npm above.\n`,
  );
  process.exitCode = 1;
}
