import { spawn } from 'node:child_process';
import { engines } from './support/engine.ts';

/**
 * `npm test`: lint, types, unit tests, the simulator's explorations, and integration tests on every engine that runs here. Arguments
 * go to Vitest: then only the tests that they select run, integration tests on one engine:
 *
 *   npm test -- endpoints/4.4-get
 *   npm test -- documents -t 'every relative link'
 */
const selection = process.argv.slice(2);
const commands =
  selection.length > 0
    ? [['vitest', 'run', ...(await projectsOf(selection)), ...selection]]
    : [
        ['biome', 'check', '--error-on-warnings'],
        ['tsc', '-p', '.'],
        ['vitest', 'run'],
      ];
for (const command of commands) {
  const status = await run(command);
  if (status !== 0) process.exit(status);
}

/** All tests without an engine, and the first engine that is found: the second repeats its tests, and its Java takes seconds to start. */
async function projectsOf(args: readonly string[]): Promise<string[]> {
  if (args.some((arg) => arg.startsWith('--project'))) return [];
  for (const engine of engines)
    if (!(await engine.missing())) return ['--project', 'unit', '--project', engine.name];
  return ['--project', 'unit'];
}

/** @returns the command's exit status; 1 when a signal ended it or this process, whatever status the command has then */
function run([name = '', ...args]: readonly string[]): Promise<number> {
  const child = spawn(name, args, { stdio: 'inherit' });
  let isEnded = false;
  const end = (signal: NodeJS.Signals): void => {
    isEnded = true;
    child.kill(signal);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (status) => {
      for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.off(signal, end);
      resolve(isEnded ? 1 : (status ?? 1));
    });
  });
}
