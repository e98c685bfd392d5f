// Runs a TypeScript file, or a command of node_modules/.bin, with the project's own Node 24, after installing what is missing.
// Plain JavaScript, because any Node.js of the machine may start it (20 or later).
//
//   node infra/launch/run.mjs infra/local/start.ts --port 0
//   node infra/launch/run.mjs vitest run
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builder, builtProgram, bundledPrograms } from './built.mjs';
import { installWhatIsMissing } from './install.mjs';
import { whenParentIsGone } from './parent.mjs';

const projectFolder = dirname(dirname(dirname(fileURLToPath(import.meta.url))));
const binFolder = join(projectFolder, 'node_modules', '.bin');

const [target, ...args] = process.argv.slice(2);
if (!target) {
  process.stderr.write(
    'Name what to run: node infra/launch/run.mjs FILE.ts|COMMAND [ARGUMENT]...\n',
  );
  process.exit(2);
}
try {
  await installWhatIsMissing(projectFolder);
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
  process.exit(1);
}
run(target, args);

/**
 * Passes signals on to the child, and its exit status to the caller. A channel tells the child when this process has ended. This process
 * watches its own parent, because npm cannot signal after a `kill -9`.
 */
function run(target, args) {
  const isFile = target.endsWith('.ts');
  const script = isFile ? resolve(projectFolder, target) : join(binFolder, target);
  if (!existsSync(script)) {
    process.stderr.write(
      `infra/launch/run.mjs: there is no ${isFile ? 'file' : 'installed command'} ${target}.\n`,
    );
    process.exit(2);
  }
  const built = builtProgram(projectFolder, target);
  const child = startNode(
    [built ?? script, ...args],
    // Only the project's own files use the channel.
    isFile ? ['inherit', 'inherit', 'inherit', 'ipc'] : 'inherit',
  );
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => child.kill(signal));

  // A program that was started by hand in the background may outlive its shell; under npm the parent waits for it.
  if (process.env.npm_lifecycle_event) whenParentIsGone(() => child.kill('SIGTERM'));
  child.once('error', (error) => {
    process.stderr.write(`infra/launch/run.mjs: ${target} cannot be run: ${error.message}\n`);
    process.exit(1);
  });
  child.once('exit', (status, signal) => {
    if (signal) process.exit(128 + constants.signals[signal]);
    process.exitCode = status;
    // The next command starts the bundle; this one has printed what it had to.
    if (bundledPrograms.has(target) && !built)
      startNode([join(projectFolder, builder)], ['ignore', 'ignore', 'inherit']);
  });
}

function startNode(args, stdio) {
  return spawn(join(binFolder, 'node'), args, {
    cwd: projectFolder,
    env: { ...process.env, PATH: [binFolder, process.env.PATH].filter(Boolean).join(delimiter) },
    stdio,
  });
}
