import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

/**
 * A mutation run: Stryker changes the source in one place at a time, and lists the changes that no unit test notices, with a score by
 * file. PATH is a folder, a file, or lines of a file; by default, all rules and every endpoint.
 *
 *   npm run mutate -- shared/leads/capture.ts
 *   npm run mutate -- shared/organization functions/create-lead/handler.ts:60-75
 */
const selected = process.argv.slice(2);
const rooms = ['functions', 'shared/middleware', 'shared/leads', 'shared/organization'];
const paths = selected.length > 0 ? selected : rooms;
const missing = paths.find((path) => !existsSync(path.replace(/:.*/, '')));
if (missing !== undefined) {
  process.stderr.write(`There is no file or folder ${missing}. Name one of this checkout.\n`);
  process.exit(1);
}

// Not in package.json: it would double the packages of the project, and only this command needs it.
const version = '10.1.1';
const home = join('.local', `stryker-${version}`, 'node_modules');
// npm writes this list last, so an interrupted installation has none.
if (!existsSync(join(home, '.package-lock.json'))) {
  process.stderr.write('Installing Stryker, once for this checkout ...\n');
  const packages = ['core', 'vitest-runner'].map((name) => `@stryker-mutator/${name}@${version}`);
  // Without the runner's peer, Vitest: it finds the project's.
  const options = [
    '--no-save',
    '--legacy-peer-deps',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
  ];
  run('npm', ['install', '--prefix', join(home, '..'), ...options, ...packages]);
}
const mutate = paths.map((path) => (/\.ts(:|$)/.test(path) ? path : join(path, '**/*.ts')));
const program = join(home, '@stryker-mutator/core/bin/stryker.js');
const config = 'test/proof/mutation/stryker.config.mjs';
run(process.execPath, [program, 'run', config, '--mutate', mutate.join()]);

function run(command: string, args: readonly string[]): void {
  const { status, error } = spawnSync(command, args, { stdio: 'inherit' });
  if (error) throw error;
  if (status !== 0) process.exit(status ?? 1);
}
