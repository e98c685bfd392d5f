import { countOf } from '../../../../infra/cli/format.ts';
import type { History } from '../checker/history.ts';
import { eventViolations } from '../events/check-events.ts';
import { publishHistory } from '../events/publish-history.ts';
import type { Program } from '../lambda/modules.ts';
import { simulationStart } from '../scheduler.ts';
import { type Plan, planOf } from './plan.ts';
import { runHistory, type Versions } from './random-histories.ts';
import { type HistoryTotals, noHistory, type Report, sumOf } from './report.ts';
import { shrink } from './shrink.ts';
import { storyOf } from './story.ts';

/** What is run: the service, and what publishes its events. */
export interface Code {
  readonly versions: Versions;
  /** Publishes the events of each history, under faults of its own, and holds them against it. */
  readonly publisher: Program;
}

/** What running one seed's history came to, and the story of what failed. */
interface SeedResult {
  readonly totals: HistoryTotals;
  readonly lines: readonly string[];
}

export interface ManyHistories {
  /** Of the first; the next ones count on. */
  readonly seed: number;
  readonly histories: number;
  /** Milliseconds of real time after which no further history begins. @default any number */
  readonly withinMs?: number;
}

/** Runs the histories of one seed after the other. */
export async function manyHistories(
  { seed, histories, withinMs = Number.POSITIVE_INFINITY }: ManyHistories,
  code: Code,
  report: Report,
): Promise<HistoryTotals> {
  const startedAt = performance.now();
  let sum: HistoryTotals = { ...noHistory, requests: 0, commands: 0, calls: 0, simulatedHours: 0 };
  while (sum.histories < histories && performance.now() - startedAt < withinMs) {
    const { totals, lines } = await runSeed(seed + sum.histories, code);
    sum = sumOf(sum, totals);
    for (const line of lines) report.print(line);
    report.progress(
      `${countOf(sum.histories, 'history', 'histories')}, ${countOf(sum.faults, 'fault')}, ${countOf(sum.violations, 'violation')}`,
    );
  }
  return sum;
}

/** Of a call to the event bus, and of an invocation of the publisher. */
const publisherFaultChance = 0.3;

/** Runs a random history. What fails is made as small as it goes and told. */
export async function runSeed(seed: number, code: Code): Promise<SeedResult> {
  const plan = planOf(String(seed));
  const { violations, history, simulatedMs, faults } = await outcomeOf(plan, code);
  const { requests, actions } = history;
  const totals: HistoryTotals = {
    histories: 1,
    requests: requests.length,
    commands: actions.length,
    calls: [...requests, ...actions].reduce((sum, { calls }) => sum + calls, 0),
    faults,
    violations: violations.length,
    simulatedHours: simulatedMs / 3_600_000,
  };
  return { totals, lines: violations.length > 0 ? await told(plan, code, violations) : [] };
}

interface Outcome {
  readonly violations: readonly string[];
  readonly faults: number;
  readonly simulatedMs: number;
  readonly history: Pick<History, 'requests' | 'actions'>;
}

/** A history that does not come to an end is a violation too. */
async function outcomeOf(plan: Plan, code: Code, keepTrace = false): Promise<Outcome> {
  try {
    const { service, ...run } = await runHistory(plan, code.versions, { keepTrace });
    const { history, recorder, now } = service;
    const options = { seed: plan.seed, faultChance: publisherFaultChance };
    const { events } = await publishHistory(history, code.publisher, options);
    const violations = [...run.violations, ...eventViolations(history, events)];
    return { violations, history, faults: recorder.faults, simulatedMs: now - simulationStart };
  } catch (error) {
    if (!keepTrace) return outcomeOf(plan, code, true); // once more, for the error's stack
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const violations = [`The history broke off: ${text}`];
    return { violations, faults: 0, simulatedMs: 0, history: { requests: [], actions: [] } };
  }
}

async function told(plan: Plan, code: Code, violations: readonly string[]): Promise<string[]> {
  const fails = async (smaller: Plan) => (await outcomeOf(smaller, code)).violations.length > 0;
  const smallest = await shrink(plan, fails);
  const smaller = await outcomeOf(smallest, code);
  const listed = (all: readonly string[]): string => all.map((one) => `  ${one}`).join('\n');
  return [
    `Seed ${plan.seed} violates what is promised:\n${listed(violations)}`,
    `As small as it goes: ${JSON.stringify(smallest)}\n${listed(smaller.violations)}\nWhat happened:\n${storyOf(smaller.history)}`,
  ];
}
