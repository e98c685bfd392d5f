import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withLock } from './lock.mjs';

/**
 * Runs `npm ci` unless node_modules matches package-lock.json. Several processes may call this at once in one checkout: one installs, the
 * others wait. npm's output goes to stderr.
 * @param {string} projectFolder
 * @throws Error with one sentence when npm fails
 */
export async function installWhatIsMissing(projectFolder) {
  const installed = installation(projectFolder);
  if (installed.isStamped()) return;
  // Not in node_modules, which npm ci empties. `.local` has what belongs to this checkout only, and is not under version control.
  await withLock(join(projectFolder, '.local', 'install.lock'), async () => {
    if (installed.isStamped()) return;
    if (!installed.isConsistent()) {
      process.stderr.write(
        'Installing the packages of package-lock.json (npm ci), once for this checkout ...\n',
      );
      await npmCi(projectFolder);
    }
    installed.stamp();
  });
}

/** Compares node_modules with the lock file. */
function installation(projectFolder) {
  const modules = join(projectFolder, 'node_modules');
  const stampFile = join(modules, '.installed-for');
  const lockText = readFileSync(join(projectFolder, 'package-lock.json'), 'utf8');
  const stamp = `${createHash('sha256').update(lockText).digest('hex')} ${process.platform}-${process.arch}\n`;
  return {
    /** npm ci removes the stamp with the rest before it begins, so an interrupted installation has none. */
    isStamped: () => existsSync(stampFile) && readFileSync(stampFile, 'utf8') === stamp,
    stamp: () => writeFileSync(stampFile, stamp),
    /** Somebody ran npm install or npm ci by hand: npm leaves a list of what it installed. */
    isConsistent() {
      const listFile = join(modules, '.package-lock.json');
      if (!existsSync(listFile) || !existsSync(join(modules, '.bin', 'node'))) return false;
      return sameVersions(
        JSON.parse(lockText).packages,
        JSON.parse(readFileSync(listFile, 'utf8')).packages,
      );
    },
  };
}

/** Packages of other platforms are in the lock file as optional, and are not installed. */
function sameVersions(locked, found) {
  const names = Object.keys(locked).filter((name) => name !== '');
  const allThere = names.every((name) => {
    const { optional, devOptional, peer, version } = locked[name];
    return found[name] ? found[name].version === version : Boolean(optional || devOptional || peer);
  });
  return allThere && Object.keys(found).every((name) => name in locked);
}

async function npmCi(projectFolder) {
  // Under npm, the same npm again; it may not be on the PATH.
  const npm = process.env.npm_execpath?.endsWith('.js')
    ? [process.execPath, process.env.npm_execpath]
    : ['npm'];
  // npm warns of packages that want a newer Node than the one it runs on: the project brings the one they run on.
  const options = [
    '--include=dev',
    '--include=optional',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ];
  const [command, ...args] = [...npm, 'ci', ...options];
  const status = await new Promise((settle, fail) => {
    const child = spawn(command, args, {
      cwd: projectFolder,
      stdio: ['ignore', process.stderr, process.stderr],
    });
    child.once('error', fail);
    child.once('exit', settle);
  });
  if (status !== 0) {
    throw new Error(
      `npm ci ended with status ${status}: the packages are not installed; see the output of npm above.`,
    );
  }
}
