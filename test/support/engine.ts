import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { dynamodbLocal, dynoxide } from '../../infra/local/engines.ts';
import { racingWorkers, startServiceProcess } from './service-process.ts';

/** The engines that the integration tests run on. vitest.config.ts says which tests need only one. */
export const engines = [dynoxide, dynamodbLocal] as const;

/**
 * Global setup of an integration project, which has its engine's name: starts the service on that engine, in memory and on a free port, and
 * hands it to the project's tests (`service()`).
 * @returns its end
 */
export default async function serve(project: TestProject): Promise<() => Promise<void>> {
  const engine = project.name;
  const { child, ready, end, printed } = await startServiceProcess(['--engine', engine], {
    WORKERS_PER_FUNCTION: String(racingWorkers),
  });
  // Only the log has the cause of an INTERNAL: print it next to the test that failed.
  if (child.stderr) createInterface(child.stderr).on('line', showFailure);
  project.provide('service', { baseUrl: ready.baseUrl, environment: ready.environment });
  return async () => {
    const status = await end(); // checks the log, too
    if (status !== 0)
      throw new Error(
        `The service on ${engine} ended with status ${status}: ${printed.stderr.slice(-2000)}`,
      );
  };
}

function showFailure(line: string): void {
  if (line.includes('"level":"ERROR"')) process.stderr.write(`${line}\n`);
}
