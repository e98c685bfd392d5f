import { expect, test } from 'vitest';
import { startHistoryProcesses } from './history-processes.ts';
import { manyHistories } from './many-histories.ts';
import { noReport } from './report.ts';

const histories = 100;

test('a hundred random histories of many clients under faults keep every promise of the contract', {
  timeout: 600_000, // 20 s of one core, which a busy machine makes minutes of
}, async ({ onTestFinished }) => {
  const lines: string[] = [];
  const report = { ...noReport, print: (text: string) => lines.push(text) };
  const processes = startHistoryProcesses(1);
  onTestFinished(processes.end);
  const totals = await manyHistories(processes, { seed: 1, histories }, report);

  expect(lines).toEqual([]);
  expect(totals).toMatchObject({ histories, violations: 0 });
  expect(totals.faults).toBeGreaterThan(10 * histories);
});
