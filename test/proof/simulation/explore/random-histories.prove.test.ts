import { beforeAll, expect, test } from 'vitest';
import { bundlePublisher } from '../events/publish-history.ts';
import type { Program } from '../lambda/modules.ts';
import { planted } from '../planted-bugs/bugs.ts';
import { type Plan, planOf } from './plan.ts';
import { bundleVersions, runHistory, type Versions } from './random-histories.ts';
import { noReport } from './report.ts';
import { manyHistories, runSeed } from './run-seed.ts';
import { shrink } from './shrink.ts';

let versions: Versions;
let publisher: Program;
beforeAll(async () => {
  [versions, publisher] = await Promise.all([bundleVersions(), bundlePublisher()]);
}, 120_000);

const histories = 100;

test('a hundred random histories of many clients under faults keep every promise of the contract', {
  timeout: 600_000, // 20 s of one core, which a busy machine makes minutes of
}, async () => {
  const lines: string[] = [];
  const report = { ...noReport, print: (text: string) => lines.push(text) };
  const totals = await manyHistories({ seed: 1, histories }, { versions, publisher }, report);

  expect(lines).toEqual([]);
  expect(totals).toMatchObject({ histories, violations: 0 });
  expect(totals.faults).toBeGreaterThan(10 * histories);
});

test('random histories are the same, event by event, for the same seed', {
  timeout: 60_000,
}, async () => {
  const traceOf = async (seed: string): Promise<string> => {
    const { service } = await runHistory(planOf(seed), versions, { keepTrace: true });
    return JSON.stringify(service.simulation.scheduler.trace);
  };
  const traces = [await traceOf('83'), await traceOf('16'), await traceOf('83')];

  expect(traces[2]).toBe(traces[0]);
  expect(traces[1]).not.toBe(traces[0]);
});

test('a defect of the event publisher is found, reduced as far as possible, and told as a story', {
  timeout: 120_000,
}, async () => {
  const bug = {
    file: 'shared/store/leads/stream-record.ts',
    before: "if (kind?.kind !== 'timeline') return undefined;",
    after: 'return undefined;',
    breaks: 'Nothing is published.',
  };
  const defective = await bundlePublisher(planted(bug));
  const { totals, lines } = await runSeed(1, { versions, publisher: defective });

  expect(totals.violations).toBeGreaterThan(0);
  expect(lines.join('\n')).toMatch(
    /Seed 1 violates[\s\S]* was published as nothing[\s\S]*As small as it goes[\s\S]*What happened:\n +0\.0 ms {2}\w/,
  );
});

test('a defect of the service is found in a history', { timeout: 60_000 }, async () => {
  const bug = {
    file: 'shared/store/table/get-item.ts',
    before: 'ConsistentRead: true',
    after: 'ConsistentRead: false',
    breaks: 'Reads are stale.',
  };
  const [defective] = await bundleVersions(planted(bug));
  const { violations } = await runHistory(planOf('2'), [defective, defective]);

  expect(violations.length).toBeGreaterThan(0);
});

test('a defect is shown by the fewest clients and requests that show it', async () => {
  const isFailing = async ({ clients, faultChance }: Plan): Promise<boolean> =>
    faultChance > 0 && clients.some(({ requests }) => requests >= 3);
  const large = {
    ...planOf('1'),
    faultChance: 0.08,
    clients: planOf('1').clients.map((client) => ({ ...client, requests: 9 })),
  };
  const smallest = await shrink(large, isFailing);

  expect(smallest).toMatchObject({
    clients: [{ requests: 3 }],
    staleChance: 0,
    clockSkewMs: 0,
    outages: [],
  });
});
