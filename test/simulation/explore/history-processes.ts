import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import type { Runner } from './many-histories.ts';
import type { SeedResult } from './run-seed.ts';

/** So many seeds wait at each process, so that it has the next one when a slow history of another is waited for. */
const waitingEach = 4;

export interface HistoryProcesses extends Runner {
  /** Histories that have not ended are broken off. */
  readonly end: () => void;
}

/** Starts processes that run random histories of the code as it is in the working copy, with the events that they publish. */
export function startHistoryProcesses(processes: number): HistoryProcesses {
  const started = Array.from({ length: processes }, () => new HistoryProcess());
  return {
    atOnce: processes * waitingEach,
    run: (seed) =>
      started.reduce((free, one) => (one.waiting < free.waiting ? one : free)).run(seed),
    end: () => {
      for (const one of started) one.end();
    },
  };
}

interface Waiting {
  readonly resolve: (result: SeedResult) => void;
  readonly reject: (error: Error) => void;
}

/** One process; it runs its seeds one after the other. */
class HistoryProcess {
  readonly #child: ChildProcess;
  readonly #waiting: Waiting[] = [];
  #hasEnded = false;

  constructor() {
    this.#child = fork(join(import.meta.dirname, 'history-process.ts'), {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    this.#child.on('message', (result) => this.#waiting.shift()?.resolve(result as SeedResult));
    this.#child.once('error', (error) => this.#fail(error));
    this.#child.once('exit', (status, signal) =>
      this.#fail(new Error(`A process that ran histories ended: ${signal ?? `status ${status}`}.`)),
    );
  }

  get waiting(): number {
    return this.#waiting.length;
  }

  run(seed: number): Promise<SeedResult> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      this.#child.send(seed, (error) => error && this.#fail(error));
    });
  }

  end(): void {
    this.#hasEnded = true;
    this.#child.kill();
  }

  #fail(error: Error): void {
    if (this.#hasEnded) return;
    for (const { reject } of this.#waiting.splice(0)) reject(error);
  }
}
