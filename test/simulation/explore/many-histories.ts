import { type Plan, planOf } from './plan.ts';
import { runHistory, type Versions } from './random-histories.ts';
import type { Report, Summary } from './report.ts';
import { shrink } from './shrink.ts';
import { storyOf } from './story.ts';

export interface ManyHistories {
  /** Of the first; the next ones count on. */
  readonly seed: number;
  readonly histories: number;
  /** Milliseconds of real time after which no further history begins. */
  readonly withinMs?: number;
}

export interface ManyHistoriesSummary extends Summary {
  readonly requests: number;
  readonly simulatedHours: number;
}

/** Runs random histories one after the other. What fails is made as small as it goes and told. */
export async function manyHistories(
  versions: Versions,
  options: ManyHistories,
  report: Report,
): Promise<ManyHistoriesSummary> {
  const { seed, histories, withinMs = Number.POSITIVE_INFINITY } = options;
  const startedAt = performance.now();
  const sum = { histories: 0, faults: 0, violations: 0, requests: 0, simulatedHours: 0 };
  for (let at = 0; at < histories && performance.now() - startedAt < withinMs; at += 1) {
    const plan = planOf(String(seed + at));
    const { violations, faults, requests, simulatedMs } = await outcomeOf(plan, versions);
    sum.histories += 1;
    sum.faults += faults;
    sum.requests += requests;
    sum.simulatedHours += simulatedMs / 3_600_000;
    sum.violations += violations.length;
    if (violations.length > 0) await tell(plan, versions, report, violations);
    report.progress(
      `${sum.histories} histories, ${sum.faults} faults, ${sum.violations} violations`,
    );
  }
  return sum;
}

interface Outcome {
  readonly violations: readonly string[];
  readonly faults: number;
  readonly requests: number;
  readonly simulatedMs: number;
  readonly story: () => string;
}

/** A history that does not come to an end is a violation too. */
async function outcomeOf(plan: Plan, versions: Versions): Promise<Outcome> {
  try {
    const run = await runHistory(plan, versions);
    return { ...run, story: () => storyOf(run.service.history) };
  } catch (error) {
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    return {
      violations: [`The history broke off: ${text}`],
      faults: 0,
      requests: 0,
      simulatedMs: 0,
      story: () => '',
    };
  }
}

async function tell(
  plan: Plan,
  versions: Versions,
  report: Report,
  violations: readonly string[],
): Promise<void> {
  report.print(
    `Seed ${plan.seed} violates what is promised:\n${violations.map((one) => `  ${one}`).join('\n')}`,
  );
  const smallest = await shrink(
    plan,
    async (smaller) => (await outcomeOf(smaller, versions)).violations.length > 0,
  );
  const smaller = await outcomeOf(smallest, versions);
  report.print(
    `As small as it goes: ${JSON.stringify(smallest)}\n${smaller.violations.map((one) => `  ${one}`).join('\n')}\nWhat happened:\n${smaller.story()}`,
  );
}
