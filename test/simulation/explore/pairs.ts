import { createHash } from 'node:crypto';
import type { Item } from '../../dynamodb-model/dynamodb-model.ts';
import { checkHistory, violationsOf } from '../checker/check-history.ts';
import { type Choices, nextScript, ScriptedChoices, SeededChoices } from '../choices.ts';
import { readService, type ServicePrograms } from '../lambda/modules.ts';
import type { CallInfo } from '../network.ts';
import { ObservedService } from '../observed-service.ts';
import { PairChoices } from './pair-choices.ts';
import { allPairs, organizationId, type Pair, perform } from './pair-operations.ts';
import { type PreparedPair, pairStart, preparePair } from './prepared-pair.ts';
import type { Summary } from './report.ts';

export interface PairLimits {
  /** Which of the pairs, by name. @default all */
  readonly pairs?: (name: string) => boolean;
  readonly bundles?: ServicePrograms;
  /** So many runs of each pair, by chance. @default every run that the bounds of `PairChoices` allow */
  readonly runs?: number;
}

export interface PairTotals extends Summary {
  pairs: number;
}

/**
 * For every pair of operations, every order of their calls in which a caller that could go on is interrupted once at most, and in each of
 * these at most one fault at each call. A pair with a violation is left, and the run is told step by step.
 */
export async function explorePairs(
  report: (line: string) => void,
  limits: PairLimits = {},
): Promise<PairTotals> {
  const { pairs = () => true, bundles = await readService(), runs } = limits;
  const prepared = {
    active: await preparePair(bundles, 'active'),
    archived: await preparePair(bundles, 'archived'),
  };
  const seen = new Set<string>();
  const totals = { pairs: 0, histories: 0, faults: 0, violations: 0 };
  for (const pair of allPairs().filter(({ name }) => pairs(name))) {
    const exploration = { pair, prepared: prepared[pair.state], bundles, seen };
    const { histories, faults, violations, story } = await explorePair(exploration, runs);
    totals.pairs += 1;
    totals.histories += histories;
    totals.faults += faults;
    totals.violations += violations.length;
    report(
      `${pair.name.padEnd(48)} ${histories} histories, ${faults} faults, ${violations.length} violations`,
    );
    for (const line of [...violations, ...story]) report(line);
  }
  return totals;
}

interface Exploration {
  readonly pair: Pair;
  readonly prepared: PreparedPair;
  readonly bundles: ServicePrograms;
  /** Last states of the table that were looked at. */
  readonly seen: Set<string>;
}

async function explorePair(exploration: Exploration, runs: number | undefined) {
  const { name } = exploration.pair;
  let histories = 0;
  let faults = 0;
  for (const run of runs === undefined ? everyRun() : runsByChance(name, runs)) {
    const choices = new PairChoices(run);
    const { violations } = await runOnce(exploration, choices);
    histories += 1;
    faults += choices.faults;
    if (violations.length === 0) continue;
    const { service } = await runOnce(exploration, choices.again(), true);
    return { histories, faults, violations, story: storyOf(service) };
  }
  return { histories, faults, violations: [], story: [] };
}

function* everyRun(): Generator<Choices> {
  for (let script: readonly number[] | undefined = []; script; ) {
    const choices = new ScriptedChoices(script);
    yield choices;
    script = nextScript(choices.made);
  }
}

function* runsByChance(name: string, runs: number): Generator<Choices> {
  for (let run = 0; run < runs; run += 1) yield new SeededChoices(`${name} ${run}`);
}

async function runOnce(
  { pair, prepared, bundles, seen }: Exploration,
  choices: PairChoices,
  keepTrace = false,
): Promise<{ service: ObservedService; violations: string[] }> {
  const simulation = {
    seed: 'pair',
    startsAt: pairStart,
    isTimed: false,
    timersCompeteWithinMs: 250,
    choices,
    faultOf: (call: CallInfo) => choices.faultOf(call),
    keepTrace,
  };
  const service = await ObservedService.start({ versions: [bundles], simulation }, prepared);
  const both = () =>
    Promise.all(([0, 1] as const).map((side) => perform(service, pair, prepared, side)));
  choices.begin();
  try {
    const known = await service.run(both);
    choices.end();
    const issues = await askAgain(service, pair, prepared, known);
    return { service, violations: [...issues, ...(await violationsIn(service, seen))] };
  } catch (error) {
    throw new Error(`${pair.name}, choices ${choices.made.join(' ')}`, { cause: error });
  }
}

/** Every step of a run, and what became of each operation. */
function storyOf({ simulation, history }: ObservedService): string[] {
  const steps = simulation.scheduler.trace.map(
    ({ at, what }) => `${new Date(at).toISOString()} ${what}`,
  );
  const requests = history.requests.map(
    ({ id, what, faults, answer }) => `${id} ${what}: ${[...faults, answer?.status].join(', ')}`,
  );
  const actions = history.actions.map(
    ({ id, faults, outcome }) => `${id}: ${[...faults, outcome].join(', ')}`,
  );
  return [...steps, ...requests, ...actions];
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

/** Lists and the service's own check look at each last state of the table once, whichever pair comes to it. */
async function violationsIn(service: ObservedService, seen: Set<string>): Promise<string[]> {
  await service.settle();
  const state = digestOf(service);
  if (seen.has(state)) return violationsOf(service.history);
  seen.add(state);
  return checkHistory(service, {
    walks: (id) => (id === organizationId ? [{}, { stage_id: 11 }] : []),
  });
}

/** The last state of the table: equal for equal leads, whatever the time was and however many tokens are left. */
function digestOf(service: ObservedService): string {
  const lines: string[] = [];
  for (const { key, current } of service.simulation.dynamodb.table('leads').all()) {
    if (current) lines.push(`${key.partition} ${key.sort} ${textOf(current)}`);
  }
  const text = lines.join('\n');
  const ranks = new Map([...new Set(text.match(moment))].sort().map((time, rank) => [time, rank]));
  const timeless = text.replaceAll(moment, (time) => `${ranks.get(time)}`).replaceAll(counted, '');
  return createHash('sha1').update(timeless).digest('base64');
}

const moment = /\d{4}-\d\d-\d\dT[\d:.]+Z/g;
const counted = /"(used|windowEndsAt|expiresAt|ttl)":\{"N":"\d+"\}/g;
const texts = new WeakMap<Item, string>();

/** Most items are those of before the run. */
function textOf(item: Item): string {
  const text = texts.get(item) ?? JSON.stringify(item);
  texts.set(item, text);
  return text;
}
