import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { type ServiceProcess, startServiceProcess } from '../../support/service-process.ts';

/** The service as a person starts it, with an engine of its own, and builds the functions. On a busy machine a start takes 20 s. */
export const startTimeout = 60_000;

/** A folder of the test file. */
export let scratch: string;
const started: ServiceProcess[] = [];

/** Makes the folder for the test file, and ends what a test of it has started. */
export function useStarts(): void {
  beforeAll(() => {
    scratch = mkdtempSync(join(tmpdir(), 'start-test-'));
  });
  afterAll(() => rmSync(scratch, { recursive: true, force: true }));
  afterEach(async () => {
    await Promise.all(
      started
        .splice(0)
        .map(async ({ child, end }) =>
          child.exitCode === null && child.signalCode === null ? end() : undefined,
        ),
    );
  });
}

export const newDb = (): string => mkdtempSync(join(scratch, 'db-'));

/** Starts the service on a free port. It ends with the test. */
export async function start(...args: readonly string[]): Promise<ServiceProcess> {
  const service = await startServiceProcess(['--engine', 'dynoxide', ...args]);
  started.push(service);
  return service;
}

/** The process of the engine that keeps its data in a folder. */
export const enginePid = (db: string): number =>
  Number(execFileSync('pgrep', ['-f', `(db-path|dbPath) ${db}/`], { encoding: 'utf8' }));
