import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { node24 } from './service-process.ts';

const run = promisify(execFile);

/** The machine's own Node.js, as the user of a package has it; with a warning the project's, unless the machine's is 20 or later. */
export async function machineNode(): Promise<string> {
  const found = (process.env.PATH ?? '')
    .split(':')
    .map((path) => join(path, 'node'))
    .filter((path) => !path.includes('node_modules'));
  for (const node of found) {
    const version = await run(node, ['-p', 'process.versions.node']).catch(() => undefined);
    if (version && Number.parseInt(version.stdout, 10) >= 20) return node;
  }
  process.stderr.write(
    '\nWARNING: no other Node.js is on the PATH: the package ran only on 24.\n\n',
  );
  return node24;
}
