import { expect, test } from 'vitest';
import { manyHistories, type Runner } from './many-histories.ts';
import { type HistoryTotals, noReport } from './report.ts';
import type { SeedResult } from './run-seed.ts';

const resultOf = (seed: number, violations: number): SeedResult => ({
  totals: {
    histories: 1,
    requests: 60,
    commands: 0,
    calls: 300,
    faults: seed,
    violations,
    simulatedHours: seed / 7,
    processorSeconds: 0.1,
  },
  lines: violations > 0 ? [`Seed ${seed} fails.`] : [],
});

/** Of those that are under way, the last one ends first. */
function lastFirst(atOnce: number, failing: ReadonlySet<number>): Runner {
  const ends: (() => void)[] = [];
  const run = (seed: number): Promise<SeedResult> => {
    const result = new Promise<SeedResult>((resolve) => {
      ends.push(() => resolve(resultOf(seed, failing.has(seed) ? 2 : 0)));
    });
    setImmediate(() => ends.pop()?.());
    return result;
  };
  return { run, atOnce };
}

test('random histories are added and told in the order of their seeds, whichever ends first', async () => {
  const toldBy = async (atOnce: number): Promise<[HistoryTotals, string[]]> => {
    const lines: string[] = [];
    const report = { ...noReport, print: (text: string) => lines.push(text) };
    const runner = lastFirst(atOnce, new Set([4, 9]));
    return [await manyHistories(runner, { seed: 1, histories: 12 }, report), lines];
  };
  const alone = await toldBy(1);

  expect(await toldBy(5)).toEqual(alone);
  expect(alone[0]).toMatchObject({ histories: 12, faults: 78, violations: 4 });
  expect(alone[1]).toEqual(['Seed 4 fails.', 'Seed 9 fails.']);
});
