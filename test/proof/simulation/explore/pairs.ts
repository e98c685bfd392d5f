import { checkHistory } from '../checker/check-history.ts';
import { type Choices, SeededChoices } from '../choices.ts';
import { type Program, readService } from '../lambda/modules.ts';
import type { CallInfo } from '../network.ts';
import { ObservedService } from '../observed-service.ts';
import type { Touch } from '../scheduler.ts';
import { EveryOrder, RedundantRunError } from './every-order.ts';
import { PairChoices } from './pair-choices.ts';
import {
  allPairs,
  organizationId,
  type Pair,
  type PreparedPair,
  perform,
  preparePair,
} from './pair-operations.ts';
import type { Summary } from './report.ts';
import { storyOf } from './story.ts';

export interface PairLimits {
  /** Which of the pairs. @default all */
  readonly pairs?: (name: string) => boolean;
  readonly code?: Program;
  /** How many random runs of each pair. @default every order that makes a difference, with every fault */
  readonly runs?: number;
}

export interface PairTotals extends Summary {
  readonly pairs: number;
}

/**
 * Runs every pair of operations in many orders of their calls, each with at most one fault. The order in which two requests take a token, or
 * a lead's id, from a counter is assumed to make no difference. The first violation ends the runs of a pair.
 */
export async function explorePairs(
  report: (line: string) => void,
  { pairs = () => true, code, runs }: PairLimits = {},
): Promise<PairTotals> {
  const program = code ?? (await readService());
  const prepared = {
    active: await preparePair(program, 'active'),
    archived: await preparePair(program, 'archived'),
  };
  const totals = { pairs: 0, histories: 0, faults: 0, violations: 0 };
  for (const pair of allPairs().filter(({ name }) => pairs(name))) {
    const began = performance.now();
    const exploration = { pair, prepared: prepared[pair.state], program };
    const { histories, redundant, faults, lines } = await explorePair(exploration, runs);
    totals.pairs += 1;
    totals.histories += histories;
    totals.faults += faults;
    totals.violations += lines.length > 0 ? 1 : 0;
    const ms = Math.round(performance.now() - began);
    report(
      `${pair.name.padEnd(48)} ${histories} histories (${redundant} broken off), ${faults} faults, ${ms} ms`,
    );
    for (const line of lines) report(line);
  }
  return totals;
}

interface Exploration {
  readonly pair: Pair;
  readonly prepared: PreparedPair;
  readonly program: Program;
}

async function explorePair(exploration: Exploration, runs: number | undefined) {
  const explored = { histories: 0, redundant: 0, faults: 0 };
  for (const run of runsOf(exploration.pair, runs)) {
    const choices = new PairChoices(run);
    const lines = await runOnce(exploration, choices);
    if (lines) explored.histories += 1;
    else explored.redundant += 1;
    explored.faults += choices.faults;
    if (lines && lines.length > 0) return { ...explored, lines };
  }
  return { ...explored, lines: [] };
}

/** The choices that decide each of the runs. */
function* runsOf({ name, operations }: Pair, runs: number | undefined): Generator<Choices> {
  for (let run = 0; run < (runs ?? 0); run += 1) yield new SeededChoices(`${name} ${run}`);
  if (runs !== undefined) return;
  const revokes = operations.some((one) => one.name === 'revoke');
  const everyOrder = new EveryOrder((touch) => isCounter(touch, revokes));
  do yield everyOrder;
  while (everyOrder.next());
}

/** Buckets of tokens. A revocation ends one, so that its order with a request is kept. */
function isCounter({ where }: Touch, revokes: boolean): boolean {
  return where.startsWith('leads USAGE#') || (!revokes && where.startsWith('leads KEY#'));
}

/** @returns violations, with the story of the run; undefined for a run that was broken off because it repeats another */
async function runOnce(
  exploration: Exploration,
  choices: PairChoices,
): Promise<string[] | undefined> {
  const { pair, prepared } = exploration;
  try {
    const { service, known } = await runPair(exploration, choices);
    const issues = await askAgain(service, pair, prepared, known);
    const walks = (id: number) => (id === organizationId ? [{}, { stage_id: 11 }] : []);
    issues.push(...(await checkHistory(service, { walks })));
    const lines = issues.map((issue) => `${pair.name}: ${issue}`);
    return lines.length > 0 ? [...lines, storyOf(service.history)] : [];
  } catch (error) {
    if (error instanceof RedundantRunError) return undefined;
    throw new Error(`${pair.name} failed to run.`, { cause: error });
  }
}

const quarterHourMs = 900_000;

async function runPair({ pair, prepared, program }: Exploration, choices: PairChoices) {
  const simulation = {
    seed: 'pair',
    isTimed: false,
    timersCompeteWithinMs: 250,
    choices,
    faultOf: (call: CallInfo) => choices.faultOf(call),
  };
  const service = await ObservedService.start({ versions: [program], simulation }, prepared);
  const both = () =>
    Promise.all(([0, 1] as const).map((side) => perform(service, pair, prepared, side)));
  // In the same hour's windows as the first enquiry.
  await service.run(() => service.sleep(quarterHourMs));
  choices.isExploring = true;
  try {
    return { service, known: await service.run(both) };
  } finally {
    choices.isExploring = false;
  }
}

/** Whoever does not know what became of an operation does it once more, when nothing goes wrong and nobody else is at work. */
async function askAgain(
  service: ObservedService,
  pair: Pair,
  prepared: PreparedPair,
  known: readonly boolean[],
): Promise<string[]> {
  const issues: string[] = [];
  for (const side of [0, 1] as const) {
    if (known[side]) continue;
    const again = async (): Promise<boolean> => {
      await service.simulation.scheduler.sleep(1);
      return perform(service, pair, prepared, side);
    };
    if (!(await service.run(again)))
      issues.push(`${pair.operations[side].name} fails when it is repeated.`);
  }
  return issues;
}
