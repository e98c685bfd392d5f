import { createHash } from 'node:crypto';
import type { Item } from '../../dynamodb-model/dynamodb-model.ts';
import { checkHistory, violationsOf } from '../checker/check-history.ts';
import { readService, type ServicePrograms } from '../lambda/modules.ts';
import type { CallInfo } from '../network.ts';
import { ObservedService } from '../observed-service.ts';
import type { Touch } from '../scheduler.ts';
import { RedundantRunError } from './every-race.ts';
import { type PairBounds, PairChoices } from './pair-choices.ts';
import {
  allPairs,
  organizationId,
  type Pair,
  type PreparedPair,
  pairStart,
  perform,
  preparePair,
} from './pair-operations.ts';
import { storyOf } from './story.ts';

export interface PairLimits extends PairBounds {
  /** Which of the pairs. @default all */
  readonly pairs?: (name: string, at: number) => boolean;
  readonly bundles?: ServicePrograms;
  /** After so many runs a pair is left, and said to be unfinished. @default never */
  readonly runs?: number;
}

/** What the exploration of one pair came to. */
export interface Explored {
  histories: number;
  redundant: number;
  faults: number;
  /** Last states of the table that no pair before had. */
  states: number;
  isWhole: boolean;
  readonly violations: string[];
  /** What happened in the run that shows them. */
  story: string;
}

export interface PairTotals {
  readonly pairs: number;
  readonly histories: number;
  readonly faults: number;
  readonly violations: number;
  /** Pairs that were left before their end. */
  readonly unfinished: number;
}

/** What `npm test` goes through: orders in which a caller that could go on is interrupted once at most, and of each pair so many runs. */
export const briefly: PairLimits = { interruptions: 1, runs: 8 };

/**
 * For every pair of operations, every order of their calls that makes a difference, and in each of these at most one fault at each call.
 * Two requests that take a token, or a lead's id, from one counter are taken to do so in either order.
 */
export async function explorePairs(
  report: (line: string) => void,
  limits: PairLimits = {},
): Promise<PairTotals> {
  const bundles = limits.bundles ?? (await readService());
  const prepared = {
    active: await preparePair(bundles, 'active'),
    archived: await preparePair(bundles, 'archived'),
  };
  const seen = new Set<string>();
  const totals = { pairs: 0, histories: 0, faults: 0, violations: 0, unfinished: 0 };
  for (const [at, pair] of allPairs().entries()) {
    if (limits.pairs && !limits.pairs(pair.name, at)) continue;
    const began = performance.now();
    const exploration = { pair, prepared: prepared[pair.state], bundles, limits, seen };
    const explored = await explorePair(exploration);
    totals.pairs += 1;
    totals.histories += explored.histories;
    totals.faults += explored.faults;
    totals.violations += explored.violations.length;
    if (!explored.isWhole) totals.unfinished += 1;
    report(lineOf(pair, explored, performance.now() - began));
    for (const line of explored.violations) report(line);
    if (explored.story) report(explored.story);
  }
  return totals;
}

const lineOf = (
  { name }: Pair,
  { histories, redundant, faults, states, isWhole, violations }: Explored,
  ms: number,
): string =>
  `${name.padEnd(48)} ${histories} histories (${redundant} broken off), ${faults} faults, ${states} new last states, ${violations.length} violations, ${Math.round(ms)} ms${isWhole ? '' : `, left unfinished`}`;

const newExplored = (): Explored => ({
  histories: 0,
  redundant: 0,
  faults: 0,
  states: 0,
  isWhole: true,
  violations: [],
  story: '',
});

interface Exploration {
  readonly pair: Pair;
  readonly prepared: PreparedPair;
  readonly bundles: ServicePrograms;
  readonly limits: PairLimits;
  /** Last states of the table that were looked at. */
  readonly seen: Set<string>;
}

async function explorePair(exploration: Exploration): Promise<Explored> {
  const { pair, limits } = exploration;
  const revokes = pair.operations.some(({ name }) => name === 'revoke');
  const choices = new PairChoices(limits, (touch) => isCounter(touch, revokes));
  const { explorer } = choices;
  const explored = newExplored();
  while (explorer.hasNext) {
    if (
      explorer.complete + explorer.redundant >= (limits.runs ?? Number.POSITIVE_INFINITY) ||
      explored.violations.length > 0
    ) {
      explored.isWhole = false;
      break;
    }
    explorer.next(await runOnce(exploration, choices, explored));
  }
  explored.histories = explorer.complete;
  explored.redundant = explorer.redundant;
  return explored;
}

/** Buckets of tokens. A revocation ends one, so that its order with a request is kept. */
function isCounter({ where }: Touch, revokes: boolean): boolean {
  return where.startsWith('leads USAGE#') || (!revokes && where.startsWith('leads KEY#'));
}

/** @returns whether the run came to its end */
async function runOnce(
  exploration: Exploration,
  choices: PairChoices,
  explored: Explored,
): Promise<boolean> {
  const { pair, prepared, seen } = exploration;
  try {
    const { service, known } = await runPair(exploration, choices);
    explored.faults += choices.faults;
    const issues = await askAgain(service, pair, prepared, known);
    issues.push(...(await violations(service, seen, explored)));
    if (issues.length === 0) return true;
    explored.violations.push(...issues.map((issue) => `${pair.name}: ${issue}`));
    explored.story = storyOf(service.history);
    return true;
  } catch (error) {
    if (error instanceof RedundantRunError) return false;
    throw new Error(`${pair.name}, run ${choices.explorer.complete + 1}`, { cause: error });
  }
}

async function runPair({ pair, prepared, bundles }: Exploration, choices: PairChoices) {
  const simulation = {
    seed: 'pair',
    startsAt: pairStart,
    isTimed: false,
    timersCompeteWithinMs: 250,
    choices,
    faultOf: (call: CallInfo) => choices.faultOf(call),
  };
  const service = await ObservedService.start({ versions: [bundles], simulation }, prepared);
  const both = () =>
    Promise.all(([0, 1] as const).map((side) => perform(service, pair, prepared, side)));
  choices.begin();
  try {
    return { service, known: await service.run(both) };
  } finally {
    choices.end();
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

/** Lists and the service's own check look at each last state of the table once, whichever pair comes to it. */
async function violations(
  service: ObservedService,
  seen: Set<string>,
  explored: Explored,
): Promise<string[]> {
  await service.settle();
  const state = digestOf(service);
  if (seen.has(state)) return violationsOf(service.history);
  seen.add(state);
  explored.states += 1;
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
