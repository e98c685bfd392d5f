import { basename } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import type { PrimaryKey } from '../../shared/store/table/primary-keys.ts';
import type { Reply } from './reply.ts';

declare module 'vitest' {
  interface TaskMeta {
    /** What the service answered to the requests of a test; the bodies of errors only. */
    replies?: (Reply & { readonly endpoint: string })[];
    /** The idempotency records that its captures may have written. */
    records?: PrimaryKey[];
  }
}

/** Sends the results of each test file to the process that started Vitest, and ends the run when that process says so or has ended. */
export default class ContractReporter implements Reporter {
  onInit(vitest: Vitest): void {
    const cancel = (): void => void vitest.cancelCurrentRun('keyboard-input');
    process.once('message', cancel);
    process.once('disconnect', cancel);
  }

  onTestModuleEnd(file: TestModule): void {
    const name = basename(file.moduleId, '.integration.test.ts');
    const failedSuites = [file, ...file.children.allSuites()].flatMap((suite) =>
      suite.errors().map(({ message }) => ({
        name: suite.type === 'module' ? `Contract tests ${name}` : suite.fullName,
        error: message,
      })),
    );
    const tests = [...file.children.allTests()].filter((test) => test.result().state !== 'skipped');
    process.send?.({ name, tests: [...failedSuites, ...tests.map(resultOf)] });
  }

  onTestRunEnd(): void {
    process.disconnect();
  }
}

function resultOf(test: TestCase): object {
  const { errors = [] } = test.result();
  const { replies = [], records = [] } = test.meta();
  return { name: test.fullName, error: errors[0]?.message, replies, records };
}
