import { expect, test } from 'vitest';
import { readService } from '../lambda/modules.ts';
import { bugsFoundBy, planted } from '../planted-bugs/bugs.ts';
import { exploreUnread } from './unread.ts';

test('an unread item is never taken for a missing one, in each read of each operation', {
  timeout: 300_000,
}, async () => {
  const lines: string[] = [];
  const totals = await exploreUnread((line) => lines.push(line));

  expect(totals, lines.join('\n')).toMatchObject({ violations: 0 });
  expect(totals.histories).toBeGreaterThan(60);
});

test.each(bugsFoundBy('test/proof/simulation/explore/unread.prove.test.ts'))(
  'a planted bug is found: $breaks',
  { timeout: 300_000 },
  async (bug) => {
    const code = await readService(planted(bug));
    const { violations } = await exploreUnread(() => undefined, { code });

    expect(violations).toBeGreaterThan(0);
  },
);
