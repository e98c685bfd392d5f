import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { dynamodbLocal } from '../../infra/local/dynamodb-local.ts';
import { dynoxide, type EngineKind } from '../../infra/local/dynoxide.ts';
import type { Project } from '../parts.ts';
import { racingWorkers, startServiceProcess } from './service-process.ts';

/** The engine of `npm test`; undefined if this machine has none. */
export async function firstEngine(): Promise<EngineKind | undefined> {
  for (const engine of [dynoxide, dynamodbLocal]) if (!(await engine.missing())) return engine;
  return undefined;
}

export const secondEngine: EngineKind = dynamodbLocal;

/**
 * Global setup of a project whose tests call the service. Starts the service on the project's engine, in memory and on a free port, and
 * passes it to the tests (`service()`). Under --watch, each new run gets a service with the functions as they are then.
 * @returns its end
 */
export default async function serve(project: TestProject): Promise<() => Promise<void>> {
  const isSecond = project.name === ('second-engine' satisfies Project);
  const { name: engine } = (isSecond ? secondEngine : await firstEngine()) ?? dynoxide;
  let end = await start(project, engine);
  project.onTestsRerun(async () => {
    await end();
    // A save may be half of a change: the tests fail, and the next save starts the service again.
    end = await start(project, engine).catch((error: Error) => {
      process.stderr.write(`${error.message}\n`);
      return end;
    });
  });
  return () => end();
}

async function start(
  project: TestProject,
  engine: EngineKind['name'],
): Promise<() => Promise<void>> {
  const { child, ready, end, printed } = await startServiceProcess(['--engine', engine], {
    WORKERS_PER_FUNCTION: String(racingWorkers),
  });
  // Only the log has the cause of an INTERNAL: print it next to the test that failed.
  if (child.stderr) createInterface(child.stderr).on('line', showFailure);
  const { baseUrl, environment } = ready;
  project.provide('service', { baseUrl, environment, engine });
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
