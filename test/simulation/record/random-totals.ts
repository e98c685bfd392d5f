import type { History } from '../checker/history.ts';
import { joinRanges, type SeedRange } from './seed-ranges.ts';

/** What any number of random histories came to. */
export interface RandomTotals {
  /** Which histories they were. */
  seeds: readonly SeedRange[];
  histories: number;
  requests: number;
  /** Commands of administrators. */
  commands: number;
  calls: number;
  faults: number;
  violations: number;
  simulatedHours: number;
  /** Of one core. */
  processorSeconds: number;
  readonly faultKinds: Record<string, number>;
  /** By endpoint and status; `-` where no answer came. */
  readonly answers: Record<string, number>;
  /** Histories by the commit whose code they ran. */
  readonly commits: Record<string, number>;
  /** Of the commit that ran last: how fast histories are is said of the code as it is. */
  latest?: Latest;
  /** Seeds of histories that showed violations, and how many. They are run again when the run goes on: the code may be another. */
  readonly failed: Record<string, number>;
}

interface Latest {
  readonly commit: string;
  readonly histories: number;
  readonly processorSeconds: number;
}

/** What one history came to. */
export interface HistoryOutcome {
  readonly seed: number;
  readonly violations: readonly string[];
  readonly faults: number;
  readonly simulatedMs: number;
  readonly history: History | undefined;
  readonly faultKinds: ReadonlyMap<string, number>;
}

export const newTotals = (): RandomTotals => ({
  seeds: [],
  histories: 0,
  requests: 0,
  commands: 0,
  calls: 0,
  faults: 0,
  violations: 0,
  simulatedHours: 0,
  processorSeconds: 0,
  faultKinds: {},
  answers: {},
  commits: {},
  failed: {},
});

const count = (counts: Record<string, number>, name: string, times = 1): void => {
  counts[name] = (counts[name] ?? 0) + times;
};

/** @param processorSeconds that running it took */
export function totalsOf(
  outcome: HistoryOutcome,
  commit: string,
  processorSeconds: number,
): RandomTotals {
  const { requests = [], actions = [] } = outcome.history ?? {};
  const { seed, violations } = outcome;
  const totals: RandomTotals = {
    ...newTotals(),
    seeds: [[seed, seed]],
    histories: 1,
    requests: requests.length,
    commands: actions.length,
    calls: [...requests, ...actions].reduce((sum, { calls }) => sum + calls, 0),
    faults: outcome.faults,
    violations: violations.length,
    simulatedHours: outcome.simulatedMs / 3_600_000,
    processorSeconds,
    faultKinds: Object.fromEntries(outcome.faultKinds),
    commits: { [commit]: 1 },
    latest: { commit, histories: 1, processorSeconds },
    failed: violations.length > 0 ? { [seed]: violations.length } : {},
  };
  for (const { what, answer } of requests)
    count(totals.answers, `${what} ${answer?.status ?? '-'}`);
  return totals;
}

const sums = [
  'histories',
  'requests',
  'commands',
  'calls',
  'faults',
  'violations',
  'simulatedHours',
  'processorSeconds',
] as const;
const counts = ['faultKinds', 'answers', 'commits', 'failed'] as const;

/** Adds histories that ran later. @throws Error where a seed is in both, with nothing added */
export function addTotals(totals: RandomTotals, later: RandomTotals): void {
  totals.seeds = joinRanges(totals.seeds, later.seeds);
  for (const name of sums) totals[name] += later[name];
  for (const name of counts)
    for (const [key, times] of Object.entries(later[name])) count(totals[name], key, times);
  if (later.latest) totals.latest = together(totals.latest, later.latest);
}

/** What two runs of one commit came to; of two commits, the later one counts. */
const together = (one: Latest | undefined, later: Latest): Latest =>
  one?.commit === later.commit
    ? {
        commit: later.commit,
        histories: one.histories + later.histories,
        processorSeconds: one.processorSeconds + later.processorSeconds,
      }
    : later;

/** Takes a failed seed's violations out, since it was run again. */
export function forgive(totals: RandomTotals, seed: string): void {
  totals.violations -= totals.failed[seed] ?? 0;
  delete totals.failed[seed];
}
