import { basename, resolve } from 'node:path';
import { Writable } from 'node:stream';
import type { TaskMeta } from 'vitest';
import type { CliOptions, Reporter, TestModule } from 'vitest/node';
import type { PrimaryKey } from '../../shared/store/table/primary-keys.ts';
import { CheckError } from '../cli/command.ts';
import { asError } from '../cli/error-code.ts';
import type { Checks } from './check.ts';
import type { Reply } from './reply.ts';

declare module 'vitest' {
  /** What a test reports if it shares its organization with others. */
  interface TaskMeta {
    /** The service's replies, in the order of the requests. Only errors have their bodies. */
    replies?: readonly Reply[];
    /** The idempotency records that the test's captures may have written. */
    records?: readonly PrimaryKey[];
  }
}

/** A test, or a suite that failed before its tests ran. */
export interface TestedCase extends TaskMeta {
  readonly name: string;
  /** Undefined if the test passed. */
  readonly error: string | undefined;
}

const root = resolve(import.meta.dirname, '..', '..');
const config = 'test/contract/vitest.config.ts';

/**
 * Runs contract tests against the service of VERIFIED_BASE_URL and the table that the environment names. After an interruption, it still
 * finishes the current test.
 * @param onFile receives the name of a test file, as `npm test` accepts it, and its results
 */
export async function runContractTests(
  checks: Checks,
  options: CliOptions,
  onFile: (file: string, tests: readonly TestedCase[]) => Promise<unknown>,
): Promise<void> {
  // Loaded only here, because loading takes a second.
  const { createVitest } = await import('vitest/node');
  const reporter: Reporter = {
    onTestCaseReady: () => {
      if (checks.interrupted.aborted) void vitest.cancelCurrentRun('keyboard-input');
    },
    onTestModuleEnd: async (file) => {
      await onFile(nameOf(file), testedIn(file));
    },
  };
  const silent = { stdout: new Writable({ write: (_chunk, _encoding, done) => done() }) };
  const vitest = await createVitest(
    { root, config, run: true, reporters: [reporter], ...options },
    {},
    silent,
  );
  try {
    const { unhandledErrors } = await vitest.start();
    const [first] = unhandledErrors;
    if (first !== undefined)
      await checks.passes('Contract tests', () => {
        throw new CheckError(
          `the tests broke off (${asError(first).message})`,
          'Is the checkout complete? npm ci, then npm test -- contract.',
        );
      });
  } finally {
    await vitest.close();
  }
}

const nameOf = ({ moduleId }: TestModule): string =>
  basename(moduleId).replace(/\.(?:integration|engines)\.test\.ts$/, '');

function testedIn(file: TestModule): TestedCase[] {
  const failedSuites = [file, ...file.children.allSuites()].flatMap((suite) =>
    suite.errors().map(({ message: error }) => ({
      name: suite.type === 'module' ? `Contract tests ${nameOf(file)}` : suite.fullName,
      error,
    })),
  );
  const tests = [...file.children.allTests()].filter((test) => test.result().state !== 'skipped');
  return [
    ...failedSuites,
    ...tests.map((test) => ({
      ...test.meta(),
      name: test.fullName,
      error: test.result().errors?.[0]?.message,
    })),
  ];
}
