import { basename } from 'node:path';
import type { Reporter, TestCase, TestModule, Vitest } from 'vitest/node';
import { openTable } from '../../shared/store/table/client.ts';
import type { PrimaryKey } from '../../shared/store/table/primary-keys.ts';
import type { TestedCase, TestedFile } from './contract-tests.ts';
import { removeTemporaryOrganization } from './write-checks.ts';

declare module 'vitest' {
  interface TaskMeta {
    replies?: TestedCase['replies'];
    records?: TestedCase['records'];
  }
}

/**
 * Sends the results of each test file to the command that started Vitest, and ends the run when the command says so. If the command was
 * killed, it ends the run too, and removes the temporary organization in the command's place.
 */
export default class ContractReporter implements Reporter {
  readonly #records: PrimaryKey[] = [];

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
    this.#records.push(...tests.flatMap((test) => test.meta().records ?? []));
    const tested: TestedFile = { name, tests: [...failedSuites, ...tests.map(resultOf)] };
    if (process.connected) process.send?.(tested);
  }

  async onTestRunEnd(): Promise<void> {
    if (process.connected) return process.disconnect();
    const { id } = JSON.parse(process.env.TEMPORARY_ORGANIZATION ?? '{}');
    if (id !== undefined) await removeTemporaryOrganization(openTable(), id, this.#records);
  }
}

function resultOf(test: TestCase): TestedCase {
  const { errors = [] } = test.result();
  const { replies, records } = test.meta();
  return { name: test.fullName, error: errors[0]?.message, replies, records };
}
