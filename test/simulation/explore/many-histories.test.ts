import { expect, test } from 'vitest';
import { newTotals, type RandomTotals } from '../record/random-totals.ts';
import { startHistoryProcesses } from './history-processes.ts';
import { manyHistories, type Runner } from './many-histories.ts';
import { noReport } from './report.ts';
import type { SeedResult } from './run-seed.ts';

const resultOf = (seed: number, violations = 0): SeedResult => ({
  totals: {
    ...newTotals(),
    seeds: [[seed, seed]],
    histories: 1,
    violations,
    simulatedHours: seed / 7,
    failed: violations > 0 ? { [seed]: violations } : {},
  },
  lines: violations > 0 ? [`Seed ${seed} fails.`] : [],
});

/** Of those that are under way, the last one ends first. */
function lastFirst(atOnce: number, failing = new Set<number>()) {
  const ran: number[] = [];
  const ends: (() => void)[] = [];
  const run = (seed: number): Promise<SeedResult> => {
    ran.push(seed);
    const result = new Promise<SeedResult>((resolve) => {
      ends.push(() => resolve(resultOf(seed, failing.has(seed) ? 2 : 0)));
    });
    setImmediate(() => ends.pop()?.());
    return result;
  };
  return { runner: { run, atOnce } satisfies Runner, ran };
}

test('random histories are added and told in the order of their seeds, whichever ends first', async () => {
  const alone = lastFirst(1, new Set([4]));
  const many = lastFirst(5, new Set([4]));
  const lines: string[] = [];
  const report = { ...noReport, print: (text: string) => lines.push(text) };
  const expected = await manyHistories(alone.runner, { seed: 1, histories: 12 }, noReport);

  const seen: RandomTotals['seeds'][] = [];
  const totals = await manyHistories(
    many.runner,
    { seed: 1, histories: 12, onHistory: ({ seeds }) => seen.push(seeds) },
    report,
  );

  expect(totals).toEqual(expected);
  expect(seen.at(2)).toEqual([[1, 3]]);
  expect(lines).toEqual(['Seed 4 fails.']);
});

test('a run that goes on runs the seeds that are missing, and again those that failed', async () => {
  const totals = { ...resultOf(1, 2).totals };
  totals.seeds = [
    [1, 3],
    [5, 6],
  ];
  totals.histories = 5;
  const { runner, ran } = lastFirst(3);

  const all = await manyHistories(runner, { seed: 1, histories: 8, totals }, noReport);

  expect(ran).toEqual([1, 4, 7, 8]);
  expect(all).toMatchObject({ seeds: [[1, 8]], histories: 8, violations: 0, failed: {} });
});

test('random histories come to the same totals in one process and in two', {
  timeout: 120_000,
}, async ({ onTestFinished }) => {
  const totalsOf = async (processes: number) => {
    const runner = startHistoryProcesses(processes, 'abc');
    onTestFinished(runner.end);
    const totals = await manyHistories(runner, { seed: 7, histories: 4 }, noReport);
    const { processorSeconds, latest, ...others } = totals;
    expect(processorSeconds).toBeGreaterThan(0);
    expect(latest).toMatchObject({ commit: 'abc', histories: 4 });
    return others;
  };
  const [one, two] = await Promise.all([totalsOf(1), totalsOf(2)]);

  expect(two).toEqual(one);
  expect(one).toMatchObject({ seeds: [[7, 10]], histories: 4, violations: 0 });
});
