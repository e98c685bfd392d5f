import { type ChildProcess, spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { join, resolve } from 'node:path';
import type { EndpointName } from '../../shared/endpoints.ts';
import type { Table } from '../../shared/store/table/client.ts';
import type { PrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { countOf } from '../cli/format.ts';
import { CheckError, type Checks } from './check.ts';
import type { Reply } from './reply.ts';
import type { TableVariables } from './target.ts';

const projectFolder = resolve(import.meta.dirname, '..', '..');
const vitest = join(projectFolder, 'node_modules', 'vitest', 'vitest.mjs');

/** What the checks that write work with. */
export interface ContractOptions {
  readonly checks: Checks;
  readonly baseUrl: string;
  readonly table: Table;
  readonly variables: TableVariables;
  readonly interrupted: AbortSignal;
  /** Prints a sentence for the person who waits. */
  readonly note: (sentence: string) => void;
}

export interface TestedCase {
  readonly name: string;
  /** Undefined if the test passed. */
  readonly error?: string | undefined;
  /** What the service answered, in the order of the requests; the bodies of errors only. */
  readonly replies?: readonly (Reply & { readonly endpoint: EndpointName })[] | undefined;
  /** The idempotency records that its captures may have written. */
  readonly records?: readonly PrimaryKey[] | undefined;
}

/** What the reporter sends of each test file. */
export interface TestedFile {
  /** By which `npm test` selects the file. */
  readonly name: string;
  readonly tests: readonly TestedCase[];
}

/**
 * Runs contract tests against an address and its table, and gives the results of each test file. They run in a process group of their own:
 * Ctrl-C in a terminal reaches them only through this process, and the test in progress ends first.
 * @param args of Vitest
 * @throws InterruptedError
 */
export async function* contractTests(
  { checks, baseUrl, variables, interrupted }: ContractOptions,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): AsyncGenerator<TestedFile> {
  checks.throwIfInterrupted();
  const reporter = `--reporter=${join(import.meta.dirname, 'contract-reporter.ts')}`;
  const config = ['--config', 'test/contract/vitest.config.ts'];
  const child = spawn(process.execPath, [vitest, 'run', ...config, reporter, ...args], {
    cwd: projectFolder,
    env: { ...process.env, ...variables, VERIFIED_BASE_URL: baseUrl, ...environment },
    detached: true,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const ended = once(child, 'close');
  const cancel = (): void => void (child.connected && child.send('cancel'));
  interrupted.addEventListener('abort', cancel);
  let [files, failed] = [0, 0];
  try {
    for await (const [message] of on(child, 'message', { close: ['disconnect'] })) {
      const file: TestedFile = message;
      files += 1;
      failed += file.tests.filter(({ error }) => error !== undefined).length;
      yield file;
    }
  } finally {
    cancel();
    await ended;
    interrupted.removeEventListener('abort', cancel);
  }
  checks.throwIfInterrupted();
  const failure = failureOf(child, files, failed);
  if (failure === undefined) return;
  await checks.passes('Contract tests', () => {
    throw new CheckError(failure, 'Is the checkout complete? npm ci, then npm test -- contract.');
  });
}

/** Why the results are not those of every test: a failed test explains the status of Vitest, but not a signal that ended it. */
function failureOf(
  { signalCode, exitCode }: ChildProcess,
  files: number,
  failed: number,
): string | undefined {
  if (files === 0) return 'the tests did not run';
  if (signalCode === null && (exitCode === 0 || failed > 0)) return undefined;
  return `the tests broke off after ${countOf(files, 'file')} (${signalCode ?? `status ${exitCode}`})`;
}
