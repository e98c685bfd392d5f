import type { History } from '../checker/history.ts';

/** What any number of random histories came to. */
export interface RandomTotals {
  /** The seed of the first; the next ones count on. */
  readonly firstSeed: number;
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
  /** Seeds of histories that showed violations, and how many. They are run again when the run goes on: the code may be another. */
  readonly failed: Record<string, number>;
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

export const newTotals = (firstSeed: number): RandomTotals => ({
  firstSeed,
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

export function addHistory(totals: RandomTotals, outcome: HistoryOutcome, commit: string): void {
  const { requests = [], actions = [] } = outcome.history ?? {};
  totals.histories += 1;
  totals.faults += outcome.faults;
  totals.violations += outcome.violations.length;
  totals.simulatedHours += outcome.simulatedMs / 3_600_000;
  totals.requests += requests.length;
  totals.commands += actions.length;
  for (const { calls } of [...requests, ...actions]) totals.calls += calls;
  for (const { what, answer } of requests)
    count(totals.answers, `${what} ${answer?.status ?? '-'}`);
  for (const [kind, times] of outcome.faultKinds) count(totals.faultKinds, kind, times);
  count(totals.commits, commit);
  if (outcome.violations.length > 0) totals.failed[outcome.seed] = outcome.violations.length;
}

/** Takes a failed seed's violations out, since it was run again. */
export function forgive(totals: RandomTotals, seed: string): void {
  totals.violations -= totals.failed[seed] ?? 0;
  delete totals.failed[seed];
}
