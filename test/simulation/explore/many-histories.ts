import type { History } from '../checker/history.ts';
import { eventViolations } from '../events/check-events.ts';
import { publishHistory } from '../events/publish-history.ts';
import type { EvaluateBundle } from '../lambda/bundle-functions.ts';
import { addHistory, forgive, newTotals, type RandomTotals } from '../record/random-totals.ts';
import { type Plan, planOf } from './plan.ts';
import { runHistory, type Versions } from './random-histories.ts';
import type { Report } from './report.ts';
import { shrink } from './shrink.ts';
import { storyOf } from './story.ts';

export interface ManyHistories {
  /** Of the first; the next ones count on. */
  readonly seed: number;
  /** How many there are to be in the end, with those of the totals. */
  readonly histories: number;
  /** Milliseconds of real time after which no further history begins. */
  readonly withinMs?: number;
  /** Of histories that were run before: further ones are added. @default none */
  readonly totals?: RandomTotals;
  readonly commit?: string;
  /** Publishes the events of each history, under faults of its own, and holds them against it. @default none: the events are not looked at */
  readonly publisher?: EvaluateBundle;
  /** Told the totals after each history. */
  readonly onHistory?: (totals: RandomTotals) => void;
}

/** What is run: the service, and what publishes its events. */
interface Code {
  readonly versions: Versions;
  readonly publisher: EvaluateBundle | undefined;
}

/** Of a call to the event bus, and of an invocation of the publisher. */
const publisherFaultChance = 0.3;

/** Runs random histories one after the other. What fails is made as small as it goes and told. */
export async function manyHistories(
  versions: Versions,
  options: ManyHistories,
  report: Report,
): Promise<RandomTotals> {
  const code: Code = { versions, publisher: options.publisher };
  const { histories, withinMs = Number.POSITIVE_INFINITY, commit = '', onHistory } = options;
  const startedAt = performance.now();
  const totals = options.totals ?? newTotals(options.seed);
  await runFailedAgain(totals, code, report);
  let processorTime = process.cpuUsage();
  while (totals.histories < histories && performance.now() - startedAt < withinMs) {
    const seed = totals.firstSeed + totals.histories;
    const plan = planOf(String(seed));
    const outcome = await outcomeOf(plan, code);
    addHistory(totals, { ...outcome, seed }, commit);
    const { user, system } = process.cpuUsage(processorTime);
    processorTime = process.cpuUsage();
    totals.processorSeconds += (user + system) / 1e6;
    if (outcome.violations.length > 0) await tell(plan, code, report, outcome.violations);
    report.progress(
      `${totals.histories} histories, ${totals.faults} faults, ${totals.violations} violations`,
    );
    onHistory?.(totals);
  }
  return totals;
}

/** What failed before may pass by now; what still fails stays counted. */
async function runFailedAgain(totals: RandomTotals, code: Code, report: Report): Promise<void> {
  for (const seed of Object.keys(totals.failed)) {
    const plan = planOf(seed);
    const { violations } = await outcomeOf(plan, code);
    if (violations.length === 0) forgive(totals, seed);
    else await tell(plan, code, report, violations);
  }
}

interface Outcome {
  readonly violations: readonly string[];
  readonly faults: number;
  readonly simulatedMs: number;
  readonly history: History | undefined;
  readonly faultKinds: ReadonlyMap<string, number>;
}

/** A history that does not come to an end is a violation too. */
async function outcomeOf(plan: Plan, code: Code, keepTrace = false): Promise<Outcome> {
  try {
    const run = await runHistory(plan, code.versions, { keepTrace });
    const { service, faults, simulatedMs } = run;
    const { history, recorder } = service;
    const violations = [...run.violations, ...(await violationsOfEvents(code, plan, history))];
    return { violations, faults, simulatedMs, history, faultKinds: recorder.faultKinds };
  } catch (error) {
    if (!keepTrace) return outcomeOf(plan, code, true); // once more, for the error's stack
    const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
    const violations = [`The history broke off: ${text}`];
    return { violations, faults: 0, simulatedMs: 0, history: undefined, faultKinds: new Map() };
  }
}

/** Publishes what a history wrote, and holds the events against it. */
async function violationsOfEvents(
  { publisher }: Code,
  { seed }: Plan,
  history: History,
): Promise<string[]> {
  if (!publisher) return [];
  const options = { seed, faultChance: publisherFaultChance };
  const { events } = await publishHistory(history, publisher, options);
  return eventViolations(history, events);
}

async function tell(
  plan: Plan,
  code: Code,
  report: Report,
  violations: readonly string[],
): Promise<void> {
  report.print(
    `Seed ${plan.seed} violates what is promised:\n${violations.map((one) => `  ${one}`).join('\n')}`,
  );
  const smallest = await shrink(
    plan,
    async (smaller) => (await outcomeOf(smaller, code)).violations.length > 0,
  );
  const smaller = await outcomeOf(smallest, code);
  const story = smaller.history ? storyOf(smaller.history) : '';
  report.print(
    `As small as it goes: ${JSON.stringify(smallest)}\n${smaller.violations.map((one) => `  ${one}`).join('\n')}\nWhat happened:\n${story}`,
  );
}
