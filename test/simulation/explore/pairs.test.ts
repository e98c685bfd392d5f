import { expect, test } from 'vitest';
import { readService } from '../lambda/modules.ts';
import { planted, plantedBugs } from '../planted-bugs/bugs.ts';
import { explorePairs } from './pairs.ts';

const isOfRequests = (name: string): boolean =>
  name.endsWith('caller)') || name.endsWith('callers)');

test.each([
  ['of requests', 132, isOfRequests],
  ['with a command of an administrator', 87, (name: string) => !isOfRequests(name)],
])(
  'every pair %s keeps the contract, whoever is interrupted and whichever call fails',
  { timeout: 600_000 },
  async (_, count, pairs) => {
    const lines: string[] = [];
    const totals = await explorePairs((line) => lines.push(line), { runs: 15, pairs });

    expect(totals, lines.join('\n')).toMatchObject({
      pairs: count,
      histories: 15 * count,
      violations: 0,
    });
    expect(totals.faults).toBeGreaterThan(5 * count);
  },
);

const pairs = (name: string): boolean => name === 'update fields | update stage (one caller)';

test.each([
  ['some order of the calls of a pair', 50],
  ['every order of the calls of a pair', undefined],
])(
  '%s shows a lead version that is no longer compared, step by step',
  {
    timeout: 120_000,
  },
  async (_, runs) => {
    const [bug] = plantedBugs.filter(({ breaks }) => breaks.startsWith('Of two updates at once'));
    if (!bug) throw new Error('It is not planted.');
    const bundles = await readService({ change: (path, text) => planted(bug, path, text) });
    const lines: string[] = [];
    const limits = { bundles, pairs, ...(runs !== undefined && { runs }) };
    const { violations } = await explorePairs((line) => lines.push(line), limits);

    expect(violations, lines.join('\n')).toBeGreaterThan(0);
    expect(lines.join('\n')).toMatch(/update fields.*\n.*Z update-lead#\d TransactWriteItems/s);
  },
);
