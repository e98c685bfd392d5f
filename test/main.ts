import { spawn } from 'node:child_process';
import { globSync } from 'node:fs';
import { resolve } from 'node:path';
import { parseCLI, startVitest } from 'vitest/node';
import { dynoxide } from '../infra/local/dynoxide.ts';
import { type Project, parts } from './parts.ts';
import { firstEngine } from './support/engine.ts';

/**
 * `npm test`, before each commit: lint, types, unit tests, and the contract over HTTP. `npm run prove` (prove.ts) runs the rest. Arguments
 * go to Vitest: then only the tests that they select run, whichever command has them, on the first engine:
 *
 *   npm test -- endpoints/4.4-get
 *   npm test -- --watch leads/capture
 *   npm test -- documents -t 'every relative link'
 */
const args = process.argv.slice(2);
const commands =
  args.length > 0
    ? [await selected()]
    : [
        ['biome', 'check', '--error-on-warnings'],
        ['tsc', '-p', '.'],
      ];
for (const command of commands) {
  const status = await run(command);
  if (status !== 0) process.exit(status);
}
if (args.length === 0) {
  const project = await withService(['unit'], ['contract']);
  const rest = parts.map(({ name }) => name).join(', ');
  const nameTheRest = (): void => console.log(`\n Not run: ${rest}. Run them with: npm run prove`);
  await startVitest('test', [], {
    project,
    watch: false,
    reporters: [{ onTestRunEnd: nameTheRest }, 'default'],
  });
  process.exit(); // with the status that Vitest has set
}

/** Vitest's command line for the tests that the arguments select. */
async function selected(): Promise<string[]> {
  const { filter, options } = parseCLI(['vitest', ...args]);
  for (const path of filter)
    if (!isInATest(path)) {
      process.stderr.write(
        `No test has "${path}" in its path. test/README.md says where each test is.\n`,
      );
      process.exit(1);
    }
  const projects = options.project
    ? []
    : await withService(['unit', 'slow'], ['contract', 'service']);
  return [
    'vitest',
    options.watch ? 'watch' : 'run',
    ...projects.flatMap((name) => ['--project', name]),
    ...args,
  ];
}

/** As Vitest selects: a part of the path, in any case, or a file or folder. */
function isInATest(text: string): boolean {
  return globSync('test/**/*.test.ts').some(
    (path) =>
      path.toLowerCase().includes(text.toLowerCase()) || resolve(path).startsWith(resolve(text)),
  );
}

async function withService(
  without: readonly Project[],
  calling: readonly Project[],
): Promise<Project[]> {
  if (await firstEngine()) return [...without, ...calling];
  process.stderr.write(
    `\nWARNING: no test calls the service: no DynamoDB engine runs here. ${dynoxide.remedy}.\n\n`,
  );
  return [...without];
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
