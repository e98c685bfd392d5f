// Runs `npm ci` unless node_modules has the packages of package-lock.json. Each npm script runs this first, in a subshell. A shell may
// remember where it found `node`, but the script needs the Node 24 that was just installed. Node.js 20 or later can run this file.
import { spawnSync } from 'node:child_process';
import * as fs from 'node:fs';

// A folder with a file for each process that is installing, named by its ID. rename() can replace it only while it is missing or empty.
const lock = '.local/install.lock';
const own = `${lock}.${process.pid}`;
const sh = (script, arg) => spawnSync('sh', ['-c', script, arg], { stdio: ['ignore', 2, 2] });
// npm has the process ID of its shell (exec). It continues if this process is killed, so the lock names it too.
const install = `echo 'Installing the packages of package-lock.json (npm ci): a minute or two ...'
touch "$0/$$" && exec npm ci --include=dev --include=optional --ignore-scripts=false --no-audit --no-fund --loglevel=error`;
const wait = `runs() { kill -0 "\${0##*/}" 2>/dev/null; }
runs && echo "Waiting for process \${0##*/}, which installs. If it does not, delete $0."
while [ -e "$0" ] && runs; do sleep 0.2; done; rm -f "$0"`;

while (!isInstalled() && process.exitCode === undefined) {
  fs.mkdirSync(own, { recursive: true });
  fs.writeFileSync(`${own}/${process.pid}`, '');
  const isTaken = await fs.promises.rename(own, lock).catch((error) => error);
  if (!isTaken && !isInstalled()) process.exitCode = sh(install, lock).status ?? 1;
  for (const pid of fs.readdirSync(lock)) sh(isTaken ? wait : 'rm "$0"', `${lock}/${pid}`);
}
fs.rmSync(own, { recursive: true, force: true });

/** npm writes the second list, node_modules/.package-lock.json, last. It lacks the packages of other platforms. */
function isInstalled() {
  try {
    const lists = ['package-lock.json', 'node_modules/.package-lock.json'];
    const [wanted, found] = lists.map((file) => JSON.parse(fs.readFileSync(file)).packages);
    const isFound = ([path, { version, optional }]) =>
      found[path] ? found[path].version === version : path === '' || optional;
    return Object.entries(wanted).every(isFound) && fs.existsSync('node_modules/.bin/node');
  } catch {
    return false; // one is missing, or half written
  }
}
