import { beforeAll, expect, test } from 'vitest';
import type { History } from '../checker/history.ts';
import { planOf } from '../explore/plan.ts';
import { bundleVersions, runHistory, type Versions } from '../explore/random-histories.ts';
import { type Change, readService } from '../lambda/modules.ts';
import { bugsFoundBy, foundBy, planted } from '../planted-bugs/bugs.ts';
import { type RestoreBundles, restoreTwice } from './restore-history.ts';

let versions: Versions;
beforeAll(async () => {
  versions = await bundleVersions();
}, 120_000);

const bundleRestore = async (...changes: readonly Change[]): Promise<RestoreBundles> => ({
  restoring: await readService(...changes),
  working: versions[0],
});

const known = new Map<string, Promise<History>>();

/** A random history with two administrators more, who erase leads and revoke keys. The same for each restore of it. */
function administeredHistory(seed: string): Promise<History> {
  const history = known.get(seed) ?? runAdministered(seed);
  known.set(seed, history);
  return history;
}

async function runAdministered(seed: string): Promise<History> {
  const plan = planOf(seed);
  const more = [1, 2].map((at) => ({
    name: `administrator more ${at}`,
    kind: 'administrator' as const,
    organizationId: 1,
    requests: 12,
  }));
  const { service } = await runHistory({ ...plan, clients: [...plan.clients, ...more] }, versions);
  return service.history;
}

// More: RESTORES=500 npm test -- test/proof/simulation/restore
const histories = Number(process.env.RESTORES ?? 6);

test('a table is restored to any moment of a history, twice, whatever fails, as a restore promises', {
  timeout: 60_000 + histories * 2000,
}, async () => {
  const restoring = await bundleRestore();
  const violations: string[] = [];
  for (let at = 1; at <= histories; at += 1) {
    const seed = String(at);
    const found = await restoreTwice(seed, await administeredHistory(seed), restoring);
    violations.push(...found.map((issue) => `${seed}: ${issue}`));
  }

  expect(violations).toEqual([]);
});

test.each(bugsFoundBy('test/proof/simulation/restore/restores.prove.test.ts'))(
  'a planted bug is found: $breaks',
  { timeout: 600_000 }, // 14 s alone
  async (bug) => {
    const restoring = await bundleRestore(planted(bug));
    const found: string[] = [];
    // Of some that need much to come together, the seed that found them is remembered.
    const first = Number(foundBy[bug.breaks] ?? 1);
    for (let at = first; at < first + 20 && found.length === 0; at += 1)
      found.push(
        ...(await restoreTwice(String(at), await administeredHistory(String(at)), restoring)),
      );

    expect(found).not.toEqual([]);
  },
);
