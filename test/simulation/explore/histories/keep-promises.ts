import { expect, test } from 'vitest';
import { startHistoryProcesses } from '../history-processes.ts';
import { manyHistories } from '../many-histories.ts';
import { noReport } from '../report.ts';

/** So many histories are a quarter of what `npm test` runs: the files run on all cores. */
const histories = 500;

/** Half a minute of one core, which a busy machine makes minutes of. */
const timeout = 600_000;

export function historiesKeepPromises(seed: number): void {
  test(`random histories ${seed} to ${seed + histories - 1} of many clients under faults keep every promise of the contract`, {
    timeout,
  }, async ({ onTestFinished }) => {
    const lines: string[] = [];
    const report = { ...noReport, print: (text: string) => lines.push(text) };
    const processes = startHistoryProcesses(1);
    onTestFinished(processes.end);
    const totals = await manyHistories(processes, { seed, histories }, report);

    expect(lines).toEqual([]);
    expect(totals).toMatchObject({ histories, violations: 0 });
    expect(totals.faults).toBeGreaterThan(10 * histories);
  });
}
