import { addTotals, forgive, newTotals, type RandomTotals } from '../record/random-totals.ts';
import { nextSeed } from '../record/seed-ranges.ts';
import type { Report } from './report.ts';
import type { SeedResult } from './run-seed.ts';

/** Runs the histories of seeds, here or in other processes. */
export interface Runner {
  readonly run: (seed: number) => Promise<SeedResult>;
  /** How many it is given at once. */
  readonly atOnce: number;
}

export interface ManyHistories {
  /** Of the first; the next ones count on, past those that the totals have. */
  readonly seed: number;
  /** How many there are to be in the end, with those of the totals. */
  readonly histories: number;
  /** Milliseconds of real time after which no further history begins. */
  readonly withinMs?: number;
  /** Of histories that were run before: further ones are added. @default none */
  readonly totals?: RandomTotals;
  /** Told the totals after each history. */
  readonly onHistory?: (totals: RandomTotals) => void;
}

/** Runs random histories, and adds them in the order of their seeds: the totals are the same however many run at once. */
export async function manyHistories(
  runner: Runner,
  options: ManyHistories,
  report: Report,
): Promise<RandomTotals> {
  const { histories, withinMs = Number.POSITIVE_INFINITY, onHistory } = options;
  const startedAt = performance.now();
  const totals = options.totals ?? newTotals();
  await runFailedAgain(totals, runner, report);
  const underWay: Promise<SeedResult>[] = [];
  let seed = options.seed;
  const begin = (): void => {
    while (underWay.length < runner.atOnce && totals.histories + underWay.length < histories) {
      if (performance.now() - startedAt >= withinMs) return;
      seed = nextSeed(totals.seeds, seed);
      const running = runner.run(seed);
      running.catch(() => undefined); // awaited in its turn
      underWay.push(running);
      seed += 1;
    }
  };
  for (begin(); underWay.length > 0; begin()) {
    const { totals: one, lines } = await (underWay.shift() as Promise<SeedResult>);
    addTotals(totals, one);
    for (const line of lines) report.print(line);
    report.progress(
      `${totals.histories} histories, ${totals.faults} faults, ${totals.violations} violations`,
    );
    onHistory?.(totals);
  }
  return totals;
}

/** What failed before may pass by now; what still fails stays counted. */
async function runFailedAgain(totals: RandomTotals, runner: Runner, report: Report): Promise<void> {
  for (const seed of Object.keys(totals.failed)) {
    const { totals: again, lines } = await runner.run(Number(seed));
    if (again.violations === 0) forgive(totals, seed);
    for (const line of lines) report.print(line);
  }
}
