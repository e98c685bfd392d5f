import { expect, test } from 'vitest';
import { readService } from '../lambda/modules.ts';
import { bugsFoundBy, planted } from '../planted-bugs/bugs.ts';
import { exploreCommandPairs } from './command-pairs.ts';

test('no two simultaneous commands damage the table, however late DynamoDB answers', {
  timeout: 600_000,
}, async () => {
  const lines: string[] = [];
  const totals = await exploreCommandPairs((line) => lines.push(line));

  expect(totals, lines.join('\n')).toMatchObject({ violations: 0 });
  expect(totals.histories).toBeGreaterThan(500);
});

test.each(bugsFoundBy('test/proof/simulation/explore/command-pairs.prove.test.ts'))(
  'a planted bug is found: $breaks',
  { timeout: 120_000 },
  async (bug) => {
    const code = await readService(planted(bug));
    const { violations } = await exploreCommandPairs(() => undefined, { code });

    expect(violations).toBeGreaterThan(0);
  },
);
