import type { HistoryTotals, Report } from './report.ts';
import type { SeedResult } from './run-seed.ts';

/** Runs the histories of seeds, here or in other processes. */
export interface Runner {
  readonly run: (seed: number) => Promise<SeedResult>;
  /** How many it is given at once. */
  readonly atOnce: number;
}

export interface ManyHistories {
  /** Of the first; the next ones count on. */
  readonly seed: number;
  readonly histories: number;
  /** Milliseconds of real time after which no further history begins. */
  readonly withinMs?: number;
}

/** Runs random histories, and adds them in the order of their seeds: the totals are the same however many run at once. */
export async function manyHistories(
  runner: Runner,
  { seed, histories, withinMs = Number.POSITIVE_INFINITY }: ManyHistories,
  report: Report,
): Promise<HistoryTotals> {
  const startedAt = performance.now();
  const totals = noTotals();
  const underWay: Promise<SeedResult>[] = [];
  let begun = 0;
  const begin = (): void => {
    while (underWay.length < runner.atOnce && begun < histories) {
      if (performance.now() - startedAt >= withinMs) return;
      const running = runner.run(seed + begun);
      running.catch(() => undefined); // awaited in its turn
      underWay.push(running);
      begun += 1;
    }
  };
  for (begin(); underWay.length > 0; begin()) {
    const { totals: one, lines } = await (underWay.shift() as Promise<SeedResult>);
    for (const name of Object.keys(totals) as (keyof HistoryTotals)[]) totals[name] += one[name];
    for (const line of lines) report.print(line);
    report.progress(
      `${totals.histories} histories, ${totals.faults} faults, ${totals.violations} violations`,
    );
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
