import { expect, test } from 'vitest';
import { bundlePublisher } from '../events/publish-history.ts';
import { bundleVersions } from './random-histories.ts';
import { noReport } from './report.ts';
import { manyHistories } from './run-seed.ts';

/** Before each commit; `npm run prove -- simulator` runs more. */
const histories = 10;

test('a few random histories of a fixed seed keep every promise of the contract', {
  timeout: 120_000, // 4 s of one core
}, async () => {
  const [versions, publisher] = await Promise.all([bundleVersions(), bundlePublisher()]);
  const lines: string[] = [];
  const report = { ...noReport, print: (text: string) => lines.push(text) };
  const totals = await manyHistories({ seed: 1001, histories }, { versions, publisher }, report);

  expect(lines).toEqual([]);
  expect(totals).toMatchObject({ histories, violations: 0 });
  expect(totals.faults).toBeGreaterThan(10 * histories);
});
