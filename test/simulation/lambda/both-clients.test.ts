import { beforeAll, expect, test } from 'vitest';
import { planOf } from '../explore/plan.ts';
import { bundleVersions, runHistory, type Versions } from '../explore/random-histories.ts';

let fast: Versions;
let whole: Versions;
beforeAll(async () => {
  [fast, whole] = await Promise.all([bundleVersions(), bundleVersions({ isWhole: true })]);
}, 120_000);

/** What happened, event by event, and the table in the end. */
async function outcomeOf(seed: string, versions: Versions) {
  const { service, violations } = await runHistory(planOf(seed), versions, { keepTrace: true });
  const { scheduler, dynamodb } = service.world;
  const items = [...dynamodb.table('leads').all()].map(({ key, current }) => [key, current]);
  return { violations, trace: scheduler.trace, items };
}

test.each(['1', '2', '4', '6'])(
  "history %s is the same, event by event, with the SDK's whole client in processes of their own and with the fast one",
  { timeout: 60_000 },
  async (seed) => {
    const [one, other] = [await outcomeOf(seed, fast), await outcomeOf(seed, whole)];

    expect(one.violations).toEqual([]);
    expect(one.trace.map(({ at, what }) => `${at} ${what}`)).toEqual(
      other.trace.map(({ at, what }) => `${at} ${what}`),
    );
    expect(one.items).toEqual(other.items);
  },
);
