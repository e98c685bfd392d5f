import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { HistoryTotals, Report } from './report.ts';
import type { SeedResult } from './run-seed.ts';

export interface ManyHistories {
  /** Of the first; the next ones count on. */
  readonly seed: number;
  readonly histories: number;
  /** Milliseconds of real time after which no further history begins. @default any number */
  readonly withinMs?: number;
  readonly processes: number;
}

/** Runs random histories of the code as it is in the working copy, with the events that they publish, in processes of their own. */
export async function manyHistories(
  { seed, histories, withinMs = Number.POSITIVE_INFINITY, processes }: ManyHistories,
  report: Report,
): Promise<HistoryTotals> {
  const startedAt = performance.now();
  const totals = noTotals();
  const add = ({ totals: one, lines }: SeedResult): void => {
    for (const name of Object.keys(totals) as (keyof HistoryTotals)[]) totals[name] += one[name];
    for (const line of lines) report.print(line);
    report.progress(
      `${totals.histories} histories, ${totals.faults} faults, ${totals.violations} violations`,
    );
  };
  let next = seed;
  const runSome = async (process: HistoryProcess): Promise<void> => {
    while (next < seed + histories && performance.now() - startedAt < withinMs) {
      next += 1;
      add(await process.run(next - 1));
    }
  };
  const started = Array.from({ length: processes }, () => new HistoryProcess());
  try {
    await Promise.all(started.map(runSome));
  } finally {
    for (const process of started) process.end();
  }
  return totals;
}

const noTotals = (): HistoryTotals => ({
  histories: 0,
  requests: 0,
  commands: 0,
  calls: 0,
  faults: 0,
  violations: 0,
  simulatedHours: 0,
  processorSeconds: 0,
});

/** A process that runs one history after the other (`history-process.ts`). */
class HistoryProcess {
  readonly #child = fork(join(import.meta.dirname, 'history-process.ts'));
  readonly #ended: Promise<never>;

  constructor() {
    this.#ended = once(this.#child, 'exit').then(([status, signal]) => {
      throw new Error(`A process that ran histories ended: ${signal ?? `status ${status}`}.`);
    });
    this.#ended.catch(() => undefined); // awaited with each history
  }

  async run(seed: number): Promise<SeedResult> {
    this.#child.send(seed);
    const [result] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    return result as SeedResult;
  }

  end(): void {
    this.#child.kill();
  }
}
