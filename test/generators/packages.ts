import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFolder } from '../support/service-process.ts';

const cache = join(projectFolder, 'node_modules', '.cache', 'generators');

/** A folder with these packages, which only the first run installs. @param packages each with its exact version */
export function installed(packages: readonly string[]): string {
  const folder = join(cache, packages.join('+').replaceAll('/', '-'));
  const complete = join(folder, 'installed');
  if (existsSync(complete)) return folder;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'package.json'), '{"private":true,"type":"module"}');
  const options = ['--silent', '--no-audit', '--no-fund', '--save-exact'];
  execFileSync('npm', ['install', ...options, ...packages], { cwd: folder, stdio: 'pipe' });
  writeFileSync(complete, '');
  return folder;
}

/** Runs a command of the packages in their folder. @throws Error with the output of a command that failed */
export function runPackage(folder: string, command: string, args: readonly string[]): void {
  execFileSync(join(folder, 'node_modules', '.bin', command), args, {
    cwd: folder,
    stdio: 'pipe',
    encoding: 'utf8',
  });
}
