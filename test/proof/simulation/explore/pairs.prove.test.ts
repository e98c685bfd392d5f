import { expect, test } from 'vitest';
import { readService } from '../lambda/modules.ts';
import { planted, plantedBugs } from '../planted-bugs/bugs.ts';
import { explorePairs } from './pairs.ts';

/** Random runs of each pair; undefined for every order, by `npm run prove -- simulator --all`. */
const runs = process.env.EVERY_ORDER ? undefined : 5;
const hourMs = 3_600_000;

const isOfRequests = (name: string): boolean =>
  name.endsWith('caller)') || name.endsWith('callers)');

test.each([
  ['of requests', 132, isOfRequests],
  ['with an administrator’s command', 87, (name: string) => !isOfRequests(name)],
])(
  'every pair %s keeps the contract in the orders of this run, with at most one fault',
  { timeout: runs ? hourMs / 6 : 24 * hourMs },
  async (kind, count, pairs) => {
    const lines: string[] = [];
    const report = (line: string) => {
      lines.push(line);
      if (!runs) process.stderr.write(`${line}\n`);
    };
    const totals = await explorePairs(report, { pairs, ...(runs && { runs }) });
    const orders = runs
      ? `${runs} random orders each; every order: npm run prove -- simulator --all`
      : 'every order';
    process.stderr.write(
      `${count} pairs ${kind}: ${totals.histories} histories, ${totals.faults} faults (${orders})\n`,
    );

    expect(totals, lines.join('\n')).toMatchObject({ pairs: count, violations: 0 });
    expect(totals.faults).toBeGreaterThan(count);
  },
);

const name = 'update fields | update stage (one caller)';

test('a missing comparison of lead versions is found, and told as a story', {
  timeout: 120_000,
}, async () => {
  const [bug] = plantedBugs.filter(({ breaks }) =>
    breaks.startsWith('One of two simultaneous updates'),
  );
  if (!bug) throw new Error('It is not planted.');
  const code = await readService(planted(bug));
  const lines: string[] = [];
  const pair = { code, pairs: (one: string) => one === name };
  const byChance = await explorePairs(() => undefined, { ...pair, runs: 40 });
  const { violations } = await explorePairs((line) => lines.push(line), pair);

  expect([byChance.violations, violations], lines.join('\n')).toEqual([1, 1]);
  expect(lines.join('\n')).toMatch(/ms {2}caller 0 sends request-\d+: update-lead lead 1 /);
});
