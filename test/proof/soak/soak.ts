import { startServiceProcess } from '../../support/service-process.ts';
import { noHistory, type Report, type Summary, sumOf } from '../simulation/explore/report.ts';
import type { ManyHistories } from '../simulation/explore/run-seed.ts';
import { runEngineHistory } from './engine-history.ts';

/** Histories side by side: they mostly wait. */
const lanes = 2;
const clients = 12;

/** Runs random histories on a real engine, under faults and deaths. Calls meet in the machine's order, so a seed may have to be repeated. */
export async function soak(
  engine: string,
  { seed, histories, withinMs = Number.POSITIVE_INFINITY }: ManyHistories,
  report: Report,
): Promise<Summary> {
  const startedAt = performance.now();
  const counts = new Map<string, number>();
  let begun = 0;
  let sum: Summary = noHistory;
  const service = await startServiceProcess(['--engine', engine]);
  const run = async (own: number): Promise<readonly string[]> => {
    const { environment } = service.ready;
    const history = await runEngineHistory({ seed: own, environment, clients });
    for (const [name, count] of history.counts) counts.set(name, (counts.get(name) ?? 0) + count);
    return history.violations;
  };
  const lane = async (): Promise<void> => {
    while (begun < histories && performance.now() - startedAt < withinMs) {
      const own = seed + begun;
      begun += 1;
      // What nobody expects ends its history, not the soak: it is a finding with a seed of its own.
      const brokenOff = (error: Error) => [`The history broke off: ${error.stack}`];
      const violations = await run(own).catch(brokenOff);
      for (const violation of violations)
        report.print(
          `Seed ${own}: ${violation}\nRepeat it: npm run simulate -- --engine ${engine} --seed ${own} --histories 1`,
        );
      sum = sumOf(sum, { histories: 1, faults: 0, violations: violations.length });
      report.progress(`${sum.histories} histories, ${sum.violations} violations`);
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  await service.end();
  for (const [name, count] of counts) report.print(`${name}: ${count.toLocaleString('en-US')}`);
  const faults = [...counts].filter(([name]) => name.startsWith('fault'));
  return { ...sum, faults: faults.reduce((all, [, count]) => all + count, 0) };
}
